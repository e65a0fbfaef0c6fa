/** Why a pattern is refused; `message` completes "the pattern …". */
export class PatternProblem extends Error {}
