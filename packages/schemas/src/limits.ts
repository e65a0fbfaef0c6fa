/** What one user's schema may cost, and what one validation may cost. Sizes are in characters of UTF-16 unless named bytes. */
export const limits = {
  /** Far above hand-written schemas; keeps the text checks and the meta-schema check in the low milliseconds. */
  schemaBytes: 256 * 1024,
  /** Payloads nest at most 64 levels; the checks and Ajv recurse once a level. */
  schemaDepth: 64,
  /** Values (objects, arrays, scalars) in the schema document: bounds every walk over it. */
  schemaNodes: 25_000,
  /** Schemas after each place that is referred to has become a definition of its own: more are too much code. */
  linkedSchemas: 50_000,
  /** Longest `$id` or reference, in characters: each is resolved against the one above it. */
  uriLength: 1_024,
  /** Processor time, from the moment the thread takes the schema. A 99 KB schema was seen to compile for 3.8 s. */
  compileDeadlineMs: 2_000,
  /** The compile thread's heap; passing it ends the thread, not the process. */
  compileHeapMb: 192,
  /** Generated code of one schema. */
  codeLength: 8 * 1024 * 1024,
  /** Longest `pattern`, in characters. */
  patternLength: 4_096,
  /** RE2 instructions of one pattern: an engine step may touch each of them. */
  patternInstructions: 5_000,
  /** RE2 instructions of all patterns of a schema. */
  schemaInstructions: 25_000,
  /** What the main thread makes callable: parsing takes 1 to 2 ms for 100,000 characters, a pattern 2 µs an instruction. */
  quickCodeLength: 192 * 1024,
  quickInstructions: 1_000,
  /** Memory of the state cache of one pattern, in bytes; the engine's default is 8 MiB. */
  patternCacheBytes: 512 * 1024,
  /** A payload string checked as `format: regex`: a longer one is not a regular expression anyone wrote. */
  regexFormatLength: 4_096,
  /** Issues listed for one payload. */
  maxDetails: 100,
  /** Errors gathered in the exhaustive form before its loops stop: more than maxDetails, as some are taken back. */
  maxGathered: 1_000,
  /** Steps of a validation on the main thread: what takes more is done in another thread. */
  quickSteps: 20_000,
  /** Steps of a validation whatever the payload's size; a step costs 1 to 25 ns. */
  baseSteps: 250_000,
  /** Steps for each character of the payload as JSON, where that is more: ordinary schemas take 1 to 7. */
  stepsPerCharacter: 8,
  /** Longest JSON Pointer, pattern or property name in an issue: payloads are not echoed. */
  shownPath: 500,
  shownText: 200,
  shownName: 100,
} as const;
