import * as library from '@hyperjump/json-schema-formats';
import { limits } from '../limits.ts';
import { parses } from '../patterns/parses.ts';
import { isDate, isDateTime, isIsoDateTime, isIsoTime, isTime } from './times.ts';
import { isUrl } from './url.ts';

export type TextCheck = (text: string) => boolean;

const isEmail = orElse(false, library.isEmail);
/** By RFC 5321, 4.5.3.1. */
function hasEmailLengths(text: string): boolean {
  const at = text.lastIndexOf('@');
  return at <= 64 && text.length - at <= 256;
}
/** Part of what the library takes, in half the time. */
const usualEmail = /^\w+(?:[.+-]\w+)*@[a-z\d]+(?:[.-][a-z\d]+)*$/i;

/** The formats of strings but for `hostname`, whose table the pages of the console need not load. All take linear time. */
export const textFormats = {
  'date-time': isDateTime,
  date: isDate,
  time: isTime,
  'iso-time': isIsoTime,
  'iso-date-time': isIsoDateTime,
  duration: library.isDuration,
  // Only registered kinds of address are right by RFC 5321, and any future one by RFC 3986.
  email: (text) => hasEmailLengths(text) && (usualEmail.test(text) || isEmail(text)),
  uri: orElse(true, library.isUri),
  'uri-reference': orElse(true, library.isUriReference),
  'uri-template': library.isUriTemplate,
  url: isUrl,
  uuid: library.isUuid,
  ipv4: library.isIPv4,
  ipv6: library.isIPv6,
  regex: (text) => text.length <= limits.regexFormatLength && parses(text, 'u'),
  'json-pointer': library.isJsonPointer,
  'json-pointer-uri-fragment': (text) => /^#(?:\/(?:[\w.!$&'()*+,;:=@-]|%[\da-f]{2}|~[01])*)*$/i.test(text),
  'relative-json-pointer': library.isRelativeJsonPointer,
  byte: (text) => text.length % 4 === 0 && /^[A-Za-z\d+/]*={0,2}$/.test(text),
} satisfies Record<string, TextCheck>;

/** The library throws where a text has the right form, with a kind of IP address that it does not know. */
function orElse(answer: boolean, check: TextCheck): TextCheck {
  return (text) => {
    try {
      return check(text);
    } catch (error) {
      // The text is too long for the stack.
      if (error instanceof RangeError) throw error;
      return answer;
    }
  };
}
