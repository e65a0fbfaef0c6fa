/** Whether the language takes the regular expression. Cheap: the engine compiles an expression only at its first match. */
export function parses(source: string, flags: string): boolean {
  try {
    new RegExp(source, flags);
    return true;
  } catch {
    return false;
  }
}
