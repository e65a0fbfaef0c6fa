/** Limits of a user's schema and of a validation. Sizes are in UTF-16 characters unless the name says bytes. */
export const limits = {
  /** Far above hand-written schemas. The checks take a few milliseconds. */
  schemaBytes: 256 * 1024,
  /** Payloads have at most 64 levels. The checks and Ajv recurse once for each level. */
  schemaDepth: 64,
  /** Objects, arrays and scalars of the schema. */
  schemaNodes: 25_000,
  /** Schemas after `link`, which may copy the targets of references. */
  linkedSchemas: 50_000,
  /** Characters of a schema after `link`. */
  linkedLength: 2 * 1024 * 1024,
  /** Longest `$id` or reference. Each is resolved against the identifier above it. */
  uriLength: 1_024,
  /** Processor time of the thread. A schema of 99 KB once took 3.8 s. */
  compileDeadlineMs: 2_000,
  /** The heap of the compile thread. Using it up ends the thread, not the process. */
  compileHeapMb: 192,
  patternLength: 4_096,
  /** RE2 instructions of one pattern. A step of the engine may visit each of them. */
  patternInstructions: 5_000,
  /** RE2 instructions of all patterns of a schema. */
  schemaInstructions: 25_000,
  /** The main thread builds an instruction of a pattern in 2 µs. */
  quickInstructions: 1_000,
  /** It makes the rules of a linked schema of this length in 2 ms. */
  quickSchemaLength: 32 * 1024,
  /** The state cache of one pattern. The engine's default is 8 MiB. */
  patternCacheBytes: 512 * 1024,
  /** `format: regex` refuses longer strings, as nobody writes such expressions. */
  regexFormatLength: 4_096,
  /** Issues listed for one payload. */
  maxDetails: 100,
  /** Steps of a validation on the main thread. Longer ones move to another thread. */
  quickSteps: 20_000,
  /** Steps of any validation. A step takes 1 to 25 ns. */
  baseSteps: 250_000,
  /** Steps for each character of a long payload. Ordinary schemas take 1 to 7. */
  stepsPerCharacter: 8,
  /** Processor time of a message to the explainer. It begins no question after `explainMessageMs`. */
  explainDeadlineMs: 1_000,
  explainMessageMs: 200,
  /** The heap of its thread, and the share of compiled functions. One for 15 properties takes 51 KB. */
  explainHeapMb: 256,
  /** Values of a payload, about. With more Ajv could make more errors than the heap holds, and the judge tells one place. */
  explainedValues: 100_000,
  explainCacheBytes: 32 * 1024 ** 2,
  /** The questions of a message, and the bytes of payloads after which it takes no more. */
  explainedAtOnce: 1_000,
  explainMessageBytes: 1024 ** 2,
  /** A client's processor time in `explainRestMs`. The first `explainFreeMs` of a question are free, so cheap ones always have answers. */
  explainShareMs: 3_000,
  explainFreeMs: 1,
  /** For this time a schema is not compiled again that took too long. */
  explainSlowMs: 3_600_000,
  explainRestMs: 60_000,
  /** At most one accepted payload in so many is compared with Ajv. The next waits for so many times what the last took. */
  sampleOf: 1_000,
  sampleRest: 100,
  /** Longest JSON Pointer, text and name in an issue: payloads are not echoed. */
  shownPath: 500,
  shownText: 200,
  shownName: 100,
} as const;
