//! The allocator of the module.

use std::alloc::{GlobalAlloc, Layout};

use libmimalloc_sys::{
    mi_collect, mi_free, mi_malloc, mi_malloc_aligned, mi_realloc, mi_realloc_aligned, mi_zalloc, mi_zalloc_aligned,
};

/// mimalloc. Each document takes some large pieces of memory and gives them back: the system's allocator would return them to the
/// kernel every time, and the kernel would clear them anew.
///
/// What nearly all pieces need is how mimalloc aligns them anyway: to ask for that takes several times as long as not to ask.
pub struct Allocator;

/// Gives memory that is free back to the system at once, which otherwise keeps some of it for what may come: after much work that is not
/// done again soon.
pub fn give_back() {
    // SAFETY: it touches only what is free.
    #[allow(unsafe_code)]
    unsafe {
        mi_collect(true);
    }
}

/// The alignment of all pieces that are not smaller.
const ALIGNED: usize = 16;

/// Whether a piece that becomes smaller goes elsewhere. mimalloc would leave it where it is as long as it needs half of that, for good: and what
/// is made smaller is mostly to stay.
fn is_worth_moving(size: usize, wanted: usize) -> bool {
    wanted < size - size / 8
}

impl Allocator {
    /// # Safety
    /// That of `realloc`, for less than the piece has.
    #[allow(unsafe_code)]
    #[cold]
    unsafe fn moved(&self, piece: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let moved = self.alloc(Layout::from_size_align_unchecked(size, layout.align()));
        if !moved.is_null() {
            std::ptr::copy_nonoverlapping(piece, moved, size);
            self.dealloc(piece, layout);
        }
        moved
    }
}

fn is_aligned_anyway(layout: Layout, size: usize) -> bool {
    layout.align() <= ALIGNED && layout.align() <= size
}

// SAFETY: mimalloc keeps the contract of an allocator, and gives pieces the alignment that is asked for, or that they have anyway.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Allocator {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let size = layout.size();
        let piece =
            if is_aligned_anyway(layout, size) { mi_malloc(size) } else { mi_malloc_aligned(size, layout.align()) };
        piece.cast()
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        let size = layout.size();
        let piece =
            if is_aligned_anyway(layout, size) { mi_zalloc(size) } else { mi_zalloc_aligned(size, layout.align()) };
        piece.cast()
    }

    #[inline]
    unsafe fn dealloc(&self, piece: *mut u8, _: Layout) {
        mi_free(piece.cast());
    }

    #[inline]
    unsafe fn realloc(&self, piece: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if is_worth_moving(layout.size(), size) {
            return self.moved(piece, layout, size);
        }
        let piece = piece.cast();
        let piece = if is_aligned_anyway(layout, size) {
            mi_realloc(piece, size)
        } else {
            mi_realloc_aligned(piece, size, layout.align())
        };
        piece.cast()
    }
}
