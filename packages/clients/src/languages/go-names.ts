import { pascal, wordsOf } from '../names.ts';

/** Words that Go writes in capitals. Its linters have this list. */
const initialisms = new Set(
  [
    'acl api ascii cpu css dns eof guid html http https id ip json lhs qps ram rhs rpc sla smtp sql ssh',
    'tcp tls ttl udp ui uid uri url utf8 uuid vm xml xmpp xsrf xss',
  ]
    .join(' ')
    .split(' '),
);

const capital = (word: string) =>
  initialisms.has(word.toLowerCase()) ? word.toUpperCase() : pascal(word, '');

/** `order_id` is `OrderID`. */
export const goName = (text: string, word: string) => {
  const name = wordsOf(text).map(capital).join('');
  return /^[A-Z]/.test(name) ? name : `${capital(word)}${name}`;
};
