import { randomInt } from 'node:crypto';
import slugify from 'slugify';

/** Without look-alikes, as people read domains aloud and type them. */
const alphabet = 'abcdefghijkmnpqrstuvwxyz23456789';

/** `Weather Station` → `weather-station-k3v9q2`. */
export function makeDomain(name: string): string {
  const slug = slugify(name, { lower: true, strict: true })
    .slice(0, 40)
    .replace(/^-+|-+$/g, '');
  const suffix = Array.from({ length: 6 }, () => alphabet[randomInt(alphabet.length)]).join('');
  return `${slug || 'application'}-${suffix}`;
}
