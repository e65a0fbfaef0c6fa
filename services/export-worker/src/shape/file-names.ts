const maxLength = 100;

/** What Windows takes for a device, whatever comes behind its dot. */
const device = /^(con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/i;

/**
 * Gives the tables names for their files, without an ending: keys joined by dots, with letters, digits, . _ - alone, not
 * hidden, not a device of Windows, and told apart also where case does not count.
 */
export function createFileNames(): (keys: string[]) => string {
  const taken = new Set<string>();
  return (keys) => {
    const plain = keys
      .join('.')
      .replace(/[^A-Za-z0-9._-]/gu, '_')
      .replace(/^(?=\.|$)/, '_')
      .replace(device, '_$1')
      .slice(0, maxLength);
    let name = plain;
    for (let count = 2; taken.has(name.toLowerCase()); count++) {
      const suffix = `-${count}`;
      name = plain.slice(0, maxLength - suffix.length) + suffix;
    }
    taken.add(name.toLowerCase());
    return name;
  };
}
