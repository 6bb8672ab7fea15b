//! The class of deliveries. It is written by hand because there may be millions of them: pyo3 would make each one an object
//! of the garbage collector, twice as large, and free it by way of several look-ups.

use std::cell::UnsafeCell;
use std::ffi::{c_int, c_uint, c_void, CStr};
use std::mem::{size_of, MaybeUninit};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::ptr::null_mut;

use pyo3::basic::CompareOp;
use pyo3::exceptions::PyRuntimeError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyList, PyTuple, PyType};

use crate::delivered::{Delivered, Fields};
use crate::delivery::{construct, Delivery, DOC, NAMES};

/// An object of the class. Its memory belongs to where it has its fields from, which it holds: see [`Room`].
#[repr(C)]
struct Object {
    head: ffi::PyObject,
    origin: Py<Delivered>,
    place: u32,
}

/// Room for the objects of some deliveries, in one piece: it is taken and given back at once, as long as one of them is kept
/// all of it is.
pub struct Room(Box<[UnsafeCell<MaybeUninit<Object>>]>);

// SAFETY: an object is written once, by `New`, before anyone has seen it; from then on it is the interpreter's.
#[allow(unsafe_code)]
unsafe impl Sync for Room {}
// SAFETY: as above; objects hold what may be sent between threads.
#[allow(unsafe_code)]
unsafe impl Send for Room {}

impl Room {
    pub fn of(objects: usize) -> Room {
        Room((0..objects).map(|_| UnsafeCell::new(MaybeUninit::uninit())).collect())
    }
}

/// A function for the class that asks a delivery, `$it`; what else it is given, a pointer to `$other`, means nothing.
macro_rules! asking {
    ($other:ty, |$it:ident, $py:ident| $answer:expr) => {{
        #[allow(unsafe_code)]
        unsafe extern "C" fn ask(object: *mut ffi::PyObject, _other: *mut $other) -> *mut ffi::PyObject {
            // SAFETY: the interpreter calls this with an object of the class, and is attached.
            unsafe { answer(object, |$it, $py| $answer) }
        }
        ask
    }};
}

static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();

/// The class, made when it is first asked for.
pub fn class(py: Python<'_>) -> PyResult<&Bound<'_, PyType>> {
    Ok(CLASS.get_or_try_init(py, || build(py))?.bind(py))
}

/// A delivery with fields of its own.
pub fn make(py: Python<'_>, fields: Fields) -> PyResult<Bound<'_, PyAny>> {
    let origin = Py::new(py, Delivered::one(fields))?;
    New { class: class(py)?, origin: &origin, place: 0 }.into_pyobject(py)
}

/// The deliveries of many results, without those to the takers left out (in ascending order).
pub fn list<'py>(py: Python<'py>, origin: Delivered, left_out: &[u32]) -> PyResult<Bound<'py, PyList>> {
    let places = origin.places();
    if places.is_empty() {
        return Ok(PyList::empty(py));
    }
    let (class, origin) = (class(py)?, &Py::new(py, origin)?);
    let new = |place| New { class, origin, place };
    if left_out.is_empty() {
        return PyList::new(py, places.map(new));
    }
    let asked: Vec<u32> = places.filter(|&place| left_out.binary_search(&origin.get().taker(place)).is_err()).collect();
    PyList::new(py, asked.into_iter().map(new))
}

/// Becomes an object when it is put into the list. Each place is taken once.
struct New<'a, 'py> {
    class: &'a Bound<'py, PyType>,
    origin: &'a Py<Delivered>,
    place: u32,
}

impl<'py> IntoPyObject<'py> for New<'_, 'py> {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = PyErr;

    #[inline]
    #[allow(unsafe_code)]
    fn into_pyobject(self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let object = self.origin.get().room().0[self.place as usize].get().cast::<Object>();
        // SAFETY: no one else uses the room of this place. The interpreter writes the head, the rest is written here, before
        // anyone sees the object; it holds its origin and with that the room it lies in.
        unsafe {
            (&raw mut (*object).origin).write(self.origin.clone_ref(py));
            (&raw mut (*object).place).write(self.place);
            Ok(Bound::from_owned_ptr(py, ffi::PyObject_Init(object.cast(), self.class.as_type_ptr())))
        }
    }
}

#[allow(unsafe_code)]
fn build(py: Python<'_>) -> PyResult<Py<PyType>> {
    let slots = [
        (ffi::Py_tp_doc, DOC.as_ptr() as *mut c_void),
        (ffi::Py_tp_new, new as *mut c_void),
        (ffi::Py_tp_dealloc, dealloc as *mut c_void),
        (ffi::Py_tp_repr, repr as *mut c_void),
        (ffi::Py_tp_hash, hash as *mut c_void),
        (ffi::Py_tp_richcompare, compare as *mut c_void),
        (ffi::Py_tp_getset, Box::leak(Box::new(getters())).as_mut_ptr().cast()),
        (ffi::Py_tp_methods, Box::leak(Box::new(methods())).as_mut_ptr().cast()),
        (0, null_mut()),
    ];
    let mut slots = slots.map(|(slot, pfunc)| ffi::PyType_Slot { slot, pfunc });
    let mut spec = ffi::PyType_Spec {
        name: c"penstock.Delivery".as_ptr(),
        basicsize: size_of::<Object>() as c_int,
        itemsize: 0,
        flags: ffi::Py_TPFLAGS_DEFAULT as c_uint,
        slots: slots.as_mut_ptr(),
    };
    // SAFETY: the slots end with an empty one and hold functions of the types that they ask for; what the class refers to
    // later (names, getters and methods) is never freed.
    let class =
        unsafe { Bound::from_owned_ptr_or_err(py, ffi::PyType_FromSpec(&raw mut spec))?.cast_into::<PyType>()? };
    class.setattr("__match_args__", PyTuple::new(py, NAMES.map(|name| name.to_string_lossy()))?)?;
    Ok(class.unbind())
}

/// One for each field, `match_id`, and the end mark.
fn getters() -> [ffi::PyGetSetDef; NAMES.len() + 2] {
    let of = |name: &'static CStr, get: ffi::getter| ffi::PyGetSetDef {
        name: name.as_ptr(),
        get: Some(get),
        ..ffi::PyGetSetDef::default()
    };
    let [subscription, subscriber, kind, fragment, documents, stream, time, sequence] = NAMES;
    [
        of(subscription, asking!(c_void, |it, py| Ok(it.origin.subscription(py, it.place).into_bound(py).into_any()))),
        of(subscriber, asking!(c_void, |it, py| Ok(it.origin.subscriber(py, it.place).into_pyobject(py)?.into_any()))),
        of(kind, asking!(c_void, |it, py| Ok(it.origin.kind(py, it.place).into_bound(py).into_any()))),
        of(fragment, asking!(c_void, |it, py| it.fragment(py))),
        of(documents, asking!(c_void, |it, py| Ok(it.origin.documents(py)?.into_bound(py).into_any()))),
        of(stream, asking!(c_void, |it, py| Ok(it.origin.stream(py).into_bound(py).into_any()))),
        of(time, asking!(c_void, |it, py| Ok(it.origin.time(py)?.into_bound(py)))),
        of(sequence, asking!(c_void, |it, py| Ok(it.origin.sequence(it.place).into_pyobject(py)?.into_any()))),
        ffi::PyGetSetDef {
            doc: c"128 bits in hexadecimal: the same subscription, documents and nodes give the same, whenever and wherever."
                .as_ptr(),
            ..of(c"match_id", asking!(c_void, |it, py| it.match_id(py)))
        },
        ffi::PyGetSetDef::default(),
    ]
}

fn methods() -> [ffi::PyMethodDef; 3] {
    let of = |name: &'static CStr, method: ffi::PyCFunction, doc: &'static CStr| ffi::PyMethodDef {
        ml_name: name.as_ptr(),
        ml_meth: ffi::PyMethodDefPointer { PyCFunction: method },
        ml_flags: ffi::METH_NOARGS,
        ml_doc: doc.as_ptr(),
    };
    [
        of(
            c"as_dict",
            asking!(ffi::PyObject, |it, py| it.as_dict(py)),
            c"as_dict($self, /)\n--\n\nThe fields by name, with `match_id`.",
        ),
        of(
            c"__reduce__",
            asking!(ffi::PyObject, |it, py| it.reduce(py)),
            c"__reduce__($self, /)\n--\n\nHow it is pickled.",
        ),
        ffi::PyMethodDef::zeroed(),
    ]
}

/// What the interpreter gets: an object, or null and an error. No panic crosses.
///
/// # Safety
///
/// `object` is a delivery, and the thread is attached to the interpreter.
#[inline]
#[allow(unsafe_code)]
unsafe fn answer<'py>(
    object: *mut ffi::PyObject,
    ask: impl FnOnce(Delivery<'py>, Python<'py>) -> PyResult<Bound<'py, PyAny>>,
) -> *mut ffi::PyObject {
    // SAFETY: as the caller says.
    let (py, delivery) = unsafe { (Python::assume_attached(), delivery(object)) };
    caught(py, || ask(delivery, py)).map_or(null_mut(), Bound::into_ptr)
}

/// # Safety
///
/// `object` is a delivery, which lives as long as what is returned.
#[inline]
#[allow(unsafe_code)]
unsafe fn delivery<'a>(object: *mut ffi::PyObject) -> Delivery<'a> {
    // SAFETY: as the caller says.
    let Object { origin, place, .. } = unsafe { &*object.cast::<Object>() };
    Delivery { origin: origin.get(), place: *place }
}

/// Sets the error, if there is one.
#[inline]
fn caught<T>(py: Python<'_>, work: impl FnOnce() -> PyResult<T>) -> Option<T> {
    let failed = |_| Err(PyRuntimeError::new_err("internal error in a delivery"));
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(failed).map_err(|error| error.restore(py)).ok()
}

#[allow(unsafe_code)]
unsafe extern "C" fn new(
    _class: *mut ffi::PyTypeObject,
    positional: *mut ffi::PyObject,
    named: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: the interpreter is attached and gives a tuple, and a dictionary or null.
    let (py, positional, named) = unsafe {
        let py = Python::assume_attached();
        (py, Bound::from_borrowed_ptr(py, positional), Bound::from_borrowed_ptr_or_opt(py, named))
    };
    let made = caught(py, || {
        let named = named.as_ref().map(|named| named.cast::<PyDict>()).transpose()?;
        wrap_pyfunction!(construct, py)?.call(positional.cast::<PyTuple>()?, named)
    });
    made.map_or(null_mut(), Bound::into_ptr)
}

#[allow(unsafe_code)]
unsafe extern "C" fn dealloc(object: *mut ffi::PyObject) {
    // SAFETY: no one holds the object any more, so that what it holds is given up here: its class and its origin, with which
    // its own memory may go.
    unsafe {
        let py = Python::assume_attached();
        let (class, origin) = (ffi::Py_TYPE(object), (&raw mut (*object.cast::<Object>()).origin).read());
        ffi::Py_DECREF(class.cast());
        origin.drop_ref(py);
    }
}

#[allow(unsafe_code)]
unsafe extern "C" fn repr(object: *mut ffi::PyObject) -> *mut ffi::PyObject {
    // SAFETY: the interpreter calls this with an object of the class, and is attached.
    unsafe { answer(object, |it, py| it.repr(py)) }
}

#[allow(unsafe_code)]
unsafe extern "C" fn hash(object: *mut ffi::PyObject) -> ffi::Py_hash_t {
    // SAFETY: as above.
    let (py, delivery) = unsafe { (Python::assume_attached(), delivery(object)) };
    caught(py, || delivery.hash(py)).unwrap_or(-1)
}

#[allow(unsafe_code)]
unsafe extern "C" fn compare(object: *mut ffi::PyObject, other: *mut ffi::PyObject, op: c_int) -> *mut ffi::PyObject {
    // SAFETY: as above; the other may be an object of any class, which is looked at first.
    unsafe {
        answer(object, |it, py| {
            let is_delivery = ffi::Py_TYPE(other) == ffi::Py_TYPE(object);
            let op = CompareOp::from_raw(op).ok_or_else(|| PyRuntimeError::new_err("an unknown comparison"))?;
            it.compare(is_delivery.then(|| delivery(other)), op, py)
        })
    }
}
