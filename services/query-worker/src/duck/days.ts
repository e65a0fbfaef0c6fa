const dayMs = 86_400_000;
/** Files have the years from 1 to 9999. */
const first = new Date('0001-01-01').getTime() / dayMs;
const end = new Date('9999-12-31').getTime() / dayMs + 1;

const textOf = (day: number): string => new Date(day * dayMs).toISOString().slice(0, 10);

/** Whether a text is a day such as 2026-11-27. */
export function isDay(text: string): boolean {
  const day = new Date(`${text}T00:00:00Z`).getTime() / dayMs;
  return day >= first && day < end && textOf(day) === text;
}

/** The first day of all from which on the test holds. Undefined: it holds for none. */
export function dayFrom(test: (day: string) => boolean): string | undefined {
  let [low, high] = [first, end];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (test(textOf(middle))) high = middle;
    else low = middle + 1;
  }
  return low < end ? textOf(low) : undefined;
}
