/** Whether a body has at most so many of some ASCII characters. Ends early if it has more. */
export function hasAtMost(most: number, characters: string, body: Buffer): boolean {
  let left = most;
  for (const character of Buffer.from(characters))
    for (let at = body.indexOf(character); at >= 0; at = body.indexOf(character, at + 1))
      if (left-- === 0) return false;
  return true;
}
