import type { SavedView as Saved } from '@sluice/store/views/saved-views.ts';
import Type from 'typebox';
import { Bool, DateTime, Name, Named, Strict, Text } from '../http/schemas.ts';

const query = Type.String({
  maxLength: 10_000,
  pattern: '^[\\x21-\\x7e]*$',
  description: 'The query of the address of the page of entries, without `?`.',
  examples: ['last=24h&filter=eq:/place:Oslo'],
});
const isShared = Bool('Whether all members see it; else only you do. Editors share views.', false);

export const NewView = Strict('NewView', { name: Name, query, shared: Type.Optional(isShared) });

export const SavedView = Named('SavedView', {
  id: Text('Id of the view.', '66f1c2a4e8b5d70912345678'),
  name: Name,
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
