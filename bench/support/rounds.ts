export interface Turn<T> {
  name: string;
  measure(): Promise<T>;
}

/**
 * Runs every contestant once a round, each round from another one. Returns the results in the given order.
 *
 * The first round does not count, as a new process needs seconds of load to reach its full speed.
 */
export async function inRounds<T>(
  rounds: number,
  turns: Turn<T>[],
  say: (line: string) => void,
  show: (result: T) => string,
): Promise<T[][]> {
  const results = turns.map((): T[] => []);
  for (let round = 0; round <= rounds; round++) {
    for (let place = 0; place < turns.length; place++) {
      const index = (round + place) % turns.length;
      const { name, measure } = turns[index] as Turn<T>;
      const result = await measure();
      if (round > 0) results[index]?.push(result);
      say(`  round ${round}/${rounds}  ${name}: ${show(result)}`);
    }
  }
  return results;
}
