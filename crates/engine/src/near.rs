//! Memory that will be needed soon is asked for before it is: what is asked for together comes together, while other work is
//! done. To read it instead would be to wait for it.

/// Asks for the memory of something.
#[inline(always)]
pub fn bring<T>(what: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_mm_prefetch, _MM_HINT_T0};
        // SAFETY: part of every x86-64, and changes nothing, whatever the address; that of a reference is even valid.
        #[allow(unsafe_code)]
        unsafe {
            _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(what).cast());
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = what;
}

/// Asks for an element, if there is one.
#[inline(always)]
pub fn bring_at<T>(all: &[T], place: usize) {
    if let Some(what) = all.get(place) {
        bring(what);
    }
}

/// Asks for so many lines of memory.
#[inline(always)]
pub fn bring_lines<T>(all: &[T], from: usize, lines: usize) {
    let step = (LINE / size_of::<T>()).max(1);
    (0..lines).for_each(|line| bring_at(all, from + line * step));
}

/// Bytes that come at once.
const LINE: usize = 64;
