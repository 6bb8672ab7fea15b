//! The functions: their names, how many arguments they take, what they give.

use super::operation::Type;

macro_rules! functions {
    ($($variant:ident $name:literal $least:literal..$most:expr, $context:literal, $result:ident;)*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum Function { $($variant),* }

        impl Function {
            pub(super) fn named(name: &str) -> Option<Function> {
                match name { $($name => Some(Function::$variant),)* _ => None }
            }

            /// The least and the greatest number of arguments.
            pub(super) fn arity(self) -> (usize, usize) {
                match self { $(Function::$variant => ($least, $most)),* }
            }

            /// Without an argument it takes the context node.
            pub(super) fn defaults_to_context(self) -> bool {
                match self { $(Function::$variant => $context),* }
            }

            pub(super) fn result(self) -> Type {
                match self { $(Function::$variant => Type::$result),* }
            }
        }
    };
}

functions! {
    Position "position" 0..0, false, Number;
    Last "last" 0..0, false, Number;
    Count "count" 1..1, false, Number;
    Id "id" 1..1, false, Nodes;
    LocalName "local-name" 0..1, true, String;
    NamespaceUri "namespace-uri" 0..1, true, String;
    Name "name" 0..1, true, String;
    String "string" 0..1, true, String;
    Concat "concat" 2..usize::MAX, false, String;
    StartsWith "starts-with" 2..2, false, Boolean;
    EndsWith "ends-with" 2..2, false, Boolean;
    Contains "contains" 2..2, false, Boolean;
    SubstringBefore "substring-before" 2..2, false, String;
    SubstringAfter "substring-after" 2..2, false, String;
    Substring "substring" 2..3, false, String;
    StringLength "string-length" 0..1, true, Number;
    NormalizeSpace "normalize-space" 0..1, true, String;
    Translate "translate" 3..3, false, String;
    LowerCase "lower-case" 1..1, false, String;
    UpperCase "upper-case" 1..1, false, String;
    Matches "matches" 2..3, false, Boolean;
    Boolean "boolean" 1..1, false, Boolean;
    Not "not" 1..1, false, Boolean;
    True "true" 0..0, false, Boolean;
    False "false" 0..0, false, Boolean;
    Lang "lang" 1..2, false, Boolean;
    Exists "exists" 1..1, false, Boolean;
    Empty "empty" 1..1, false, Boolean;
    Number "number" 0..1, true, Number;
    Sum "sum" 1..1, false, Number;
    Average "avg" 1..1, false, Any;
    Least "min" 1..1, false, Any;
    Greatest "max" 1..1, false, Any;
    Floor "floor" 1..1, false, Number;
    Ceiling "ceiling" 1..1, false, Number;
    Round "round" 1..1, false, Number;
}
