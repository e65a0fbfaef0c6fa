import type { SavedView as Saved } from '@sluice/store/views/saved-views.ts';
import Type from 'typebox';
import { Bool, DateTime, Name, Named, Strict, Text } from '../http/schemas.ts';

const query = Type.String({
  maxLength: 10_000,
  pattern: '^[\\x21\\x22\\x24-\\x7e]*$',
  description: 'The query of the address of the page of entries, without `?` and `#`.',
  examples: ['last=24h&filter=eq:/place:Oslo'],
});
/** Nobody would see them. */
const unseen = '\\u0000-\\u001f\\u007f\\u202a-\\u202e\\u2066-\\u2069';
const name = Type.String({
  ...Name,
  pattern: `^[^${unseen}]*[^\\s${unseen}][^${unseen}]*$`,
  description: 'Must not be blank, nor have control characters.',
  examples: ['Warm places'],
});
const isShared = Bool('Whether all members see it; else only you do. Editors share views.', false);

export const NewView = Strict('NewView', { name, query, shared: Type.Optional(isShared) });

export const SavedView = Named('SavedView', {
  id: Text('Id of the view.', '66f1c2a4e8b5d70912345678'),
  name,
  query,
  shared: isShared,
  createdAt: DateTime(),
  createdBy: Text('The user who saved it.', 'ada'),
});

export const toSavedView = ({ createdAt, isShared, id, name, query, createdBy }: Saved) => ({
  id,
  name,
  query,
  shared: isShared,
  createdAt: createdAt.toISOString(),
  createdBy,
});
