//! The functions: their names and how many arguments they take.

macro_rules! functions {
    ($($variant:ident $name:literal $least:literal..$most:expr;)*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum Function { $($variant),* }

        impl Function {
            pub(super) fn named(name: &str) -> Option<Function> {
                match name { $($name => Some(Function::$variant),)* _ => None }
            }

            pub(super) fn name(self) -> &'static str {
                match self { $(Function::$variant => $name),* }
            }

            /// The least and the greatest number of arguments.
            pub(super) fn arity(self) -> (usize, usize) {
                match self { $(Function::$variant => ($least, $most)),* }
            }
        }
    };
}

functions! {
    Position "position" 0..0;
    Last "last" 0..0;
    True "true" 0..0;
    False "false" 0..0;
    Boolean "boolean" 1..1;
    Not "not" 1..1;
    Exists "exists" 1..1;
    Empty "empty" 1..1;
    Count "count" 1..1;
    Sum "sum" 1..2;
    Average "avg" 1..1;
    Least "min" 1..1;
    Greatest "max" 1..1;
    Number "number" 1..1;
    Abs "abs" 1..1;
    Floor "floor" 1..1;
    Ceiling "ceiling" 1..1;
    Round "round" 1..2;
    RoundHalfToEven "round-half-to-even" 1..2;
    String "string" 1..1;
    Concat "concat" 2..usize::MAX;
    StringJoin "string-join" 1..2;
    StringLength "string-length" 1..1;
    Substring "substring" 2..3;
    SubstringBefore "substring-before" 2..2;
    SubstringAfter "substring-after" 2..2;
    StartsWith "starts-with" 2..2;
    EndsWith "ends-with" 2..2;
    Contains "contains" 2..2;
    NormalizeSpace "normalize-space" 1..1;
    Translate "translate" 3..3;
    LowerCase "lower-case" 1..1;
    UpperCase "upper-case" 1..1;
    Compare "compare" 2..2;
    CodepointsToString "codepoints-to-string" 1..1;
    StringToCodepoints "string-to-codepoints" 1..1;
    Matches "matches" 2..3;
    Replace "replace" 3..4;
    Tokenize "tokenize" 1..3;
    Data "data" 1..1;
    DistinctValues "distinct-values" 1..1;
    ExactlyOne "exactly-one" 1..1;
    ZeroOrOne "zero-or-one" 1..1;
    OneOrMore "one-or-more" 1..1;
    Reverse "reverse" 1..1;
    Head "head" 1..1;
    Tail "tail" 1..1;
    Subsequence "subsequence" 2..3;
    InsertBefore "insert-before" 3..3;
    Remove "remove" 2..2;
    IndexOf "index-of" 2..2;
    Unordered "unordered" 1..1;
    DeepEqual "deep-equal" 2..2;
    Innermost "innermost" 1..1;
    Outermost "outermost" 1..1;
    LocalName "local-name" 1..1;
    NamespaceUri "namespace-uri" 1..1;
    Name "name" 1..1;
    Root "root" 1..1;
    Id "id" 1..1;
    Lang "lang" 1..2;
}
