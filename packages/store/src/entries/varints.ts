import { Binary } from 'mongodb';

/** Numbers from 0 to 2^53 in 7 bits a byte: those below 128 take one byte. */
export function packNumbers(numbers: Iterable<number>): Binary {
  const bytes: number[] = [];
  for (let rest of numbers) {
    for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
    bytes.push(rest);
  }
  return new Binary(Buffer.from(bytes));
}

export function unpackNumbers({ buffer, position }: Binary): number[] {
  const numbers: number[] = [];
  for (let at = 0; at < position; ) {
    let number = 0;
    for (let unit = 1; ; unit *= 128) {
      const byte = buffer[at++] as number;
      number += (byte % 128) * unit;
      if (byte < 128) break;
    }
    numbers.push(number);
  }
  return numbers;
}
