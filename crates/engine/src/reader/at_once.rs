//! Loops over bytes, compiled for what the processor at hand can look at together.

/// Declares a function that does the same as another, which is inlined: the compiler makes of its loops what the processor can do
/// at once.
macro_rules! at_once {
    ($visibility:vis fn $name:ident($($argument:ident: $type:ty),*) -> $result:ty = $all:ident) => {
        $visibility fn $name($($argument: $type),*) -> $result {
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx512bw")]
                fn widest($($argument: $type),*) -> $result {
                    $all($($argument),*)
                }
                #[target_feature(enable = "avx2")]
                fn wide($($argument: $type),*) -> $result {
                    $all($($argument),*)
                }
                if std::arch::is_x86_feature_detected!("avx512bw") {
                    // SAFETY: the processor has what the function is compiled for.
                    #[allow(unsafe_code)]
                    return unsafe { widest($($argument),*) };
                }
                if std::arch::is_x86_feature_detected!("avx2") {
                    // SAFETY: the same.
                    #[allow(unsafe_code)]
                    return unsafe { wide($($argument),*) };
                }
            }
            $all($($argument),*)
        }
    };
}

pub(super) use at_once;
