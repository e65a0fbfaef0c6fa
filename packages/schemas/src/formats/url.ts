const name = '[a-z0-9\\u{a1}-\\u{ffff}]';
const label = `(?:${name}+-)*${name}+`;
const domain = `${label}(?:\\.${label})*\\.[a-z\\u{a1}-\\u{ffff}]{2,}`;
const ofNetwork = '(?:10|127)(?:\\.\\d{1,3}){3}|(?:169\\.254|192\\.168)(?:\\.\\d{1,3}){2}';
const private172 = '172\\.(?:1[6-9]|2\\d|3[01])(?:\\.\\d{1,3}){2}';
const ends = '[1-9]\\d?|1\\d\\d|2[01]\\d';
const ip = `(?!${ofNetwork}|${private172})(?:${ends}|22[0-3])(?:\\.(?:1?\\d{1,2}|2[0-4]\\d|25[0-5])){2}\\.(?:${ends}|2[2-4]\\d|25[0-4])`;
const url = new RegExp(`^(?:https?|ftp)://(?:\\S+@)?(?:${ip}|${domain})(?::\\d{2,5})?(?:/\\S*)?$`, 'iu');

/**
 * A web address with a name or a public IP address, by https://gist.github.com/dperini/729294.
 * Without white space, the path matches the whole rest, so no start is tried to the end twice.
 */
export const isUrl = (text: string): boolean => !/\s/.test(text) && url.test(text);
