/** Characters as JSON Schema counts them: code points, not UTF-16 units. */
export function codePoints(text: string): number {
  let count = text.length;
  for (let at = 0; at < text.length - 1; at++) {
    if ((text.charCodeAt(at) & 0xfc00) !== 0xd800 || (text.charCodeAt(at + 1) & 0xfc00) !== 0xdc00) continue;
    count--;
    at++;
  }
  return count;
}
