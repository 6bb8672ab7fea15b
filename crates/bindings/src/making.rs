//! Deliveries made by the hundred thousand.

use std::mem::size_of;

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyList, PyType};

use crate::delivered::Delivered;
use crate::delivery::Delivery;

/// The deliveries at these places.
pub fn list<'py>(py: Python<'py>, delivered: Delivered, places: Vec<u32>) -> PyResult<Bound<'py, PyList>> {
    if places.is_empty() {
        return Ok(PyList::empty(py));
    }
    let maker = Maker::new(py)?;
    let delivered = &Py::new(py, delivered)?;
    let _pause = CollectorPause::new(py);
    PyList::new(py, places.into_iter().map(|place| Unmade { maker: &maker, delivered, place }))
}

/// Becomes an object when it is put into the list.
struct Unmade<'a> {
    maker: &'a Maker,
    delivered: &'a Py<Delivered>,
    place: u32,
}

impl<'py> IntoPyObject<'py> for Unmade<'_> {
    type Target = Delivery;
    type Output = Bound<'py, Delivery>;
    type Error = PyErr;

    #[inline]
    fn into_pyobject(self, py: Python<'py>) -> PyResult<Bound<'py, Delivery>> {
        self.maker.make(py, Delivery::shared(self.delivered.clone_ref(py), self.place))
    }
}

/// The garbage collector does not run while this lives: it would look through the list again and again, and find nothing.
struct CollectorPause<'py> {
    was_enabled: bool,
    _attached: Python<'py>,
}

impl<'py> CollectorPause<'py> {
    #[allow(unsafe_code)]
    fn new(py: Python<'py>) -> CollectorPause<'py> {
        // SAFETY: the thread is attached to the interpreter, which is all that is asked for.
        let was_enabled = unsafe { ffi::PyGC_Disable() } == 1;
        CollectorPause { was_enabled, _attached: py }
    }
}

impl Drop for CollectorPause<'_> {
    #[allow(unsafe_code)]
    fn drop(&mut self) {
        if self.was_enabled {
            // SAFETY: as above; it lives no longer than the thread is attached.
            unsafe { ffi::PyGC_Enable() };
        }
    }
}

/// Makes the objects without the detour over the class's constructor, and out of the garbage collector's sight: they hold
/// strings, a tuple of strings and a time, so they are never part of a cycle, and visiting them again and again would cost
/// more than matching.
struct Maker {
    class: Py<PyType>,
    is_plain: bool,
}

impl Maker {
    fn new(py: Python<'_>) -> PyResult<Maker> {
        static IS_PLAIN: PyOnceLock<bool> = PyOnceLock::new();
        let class = py.get_type::<Delivery>();
        let is_plain = *IS_PLAIN.get_or_try_init(py, || {
            let size: usize = class.getattr("__basicsize__")?.extract()?;
            PyResult::Ok(size == HEAD + size_of::<Delivery>())
        })?;
        Ok(Maker { class: class.unbind(), is_plain })
    }

    #[inline]
    #[allow(unsafe_code)]
    fn make<'py>(&self, py: Python<'py>, delivery: Delivery) -> PyResult<Bound<'py, Delivery>> {
        if !self.is_plain {
            return Bound::new(py, delivery);
        }
        // SAFETY: the class is alive; its objects are the garbage collector's and of fixed size, and by their size they
        // are a head and the value, so that an object is whole as soon as the value is written behind the head. Nobody
        // else has seen it until then.
        unsafe {
            let object: *mut ffi::PyObject = ffi::PyObject_GC_New(self.class.as_ptr().cast());
            if object.is_null() {
                return Err(PyErr::fetch(py));
            }
            object.byte_add(HEAD).cast::<Delivery>().write(delivery);
            Ok(Bound::from_owned_ptr(py, object).cast_into_unchecked())
        }
    }
}

const HEAD: usize = size_of::<ffi::PyObject>();
