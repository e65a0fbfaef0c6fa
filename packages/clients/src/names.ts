/** The words of a text, in ASCII: `maxSpeed_2` has max, Speed and 2. */
export function wordsOf(text: string): string[] {
  const plain = text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2');
  return plain.slice(0, 80).match(/[A-Za-z0-9]+/g) ?? [];
}

const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1).toLowerCase();

/** Each turns a text into a name. `word` leads a name that would not begin with a letter, as in `field2`. */
export const pascal = (text: string, word: string) => {
  const name = wordsOf(text).map(capital).join('');
  return /^[A-Z]/.test(name) ? name : `${capital(word)}${name}`;
};

export const camel = (text: string, word: string) => {
  const name = pascal(text, word);
  return name.charAt(0).toLowerCase() + name.slice(1);
};

export const snake = (text: string, word: string) => {
  const name = wordsOf(text).join('_').toLowerCase();
  return /^[a-z]/.test(name) ? name : [word, name].filter((part) => part !== '').join('_');
};

export const constant = (text: string, word: string) => snake(text, word).toUpperCase();

/** Gives out names that differ in more than capitals, as file systems may not tell those apart. */
export function createNames(reserved: Iterable<string>) {
  const isReserved = new Set(reserved);
  const given = new Set<string>();
  const isFree = (name: string) => !isReserved.has(name) && !given.has(name.toLowerCase());

  return {
    /** The first name that is free, or the last with a number. `_` in front of the number keeps digits apart. */
    take(...names: string[]): string {
      const last = names.at(-1) as string;
      const base = /\d$/.test(last) ? `${last}_` : last;
      let name = names.find(isFree);
      for (let number = 2; name === undefined; number++)
        if (isFree(`${base}${number}`)) name = `${base}${number}`;
      given.add(name.toLowerCase());
      return name;
    },
  };
}
