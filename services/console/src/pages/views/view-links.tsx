import { useQuery } from '@tanstack/react-query';
import { Link, useLocation } from 'react-router';
import { viewsQuery } from '../../api/views.ts';
import { words } from '../../words/en.ts';
import { toPlain } from './plain-query.ts';

const plain = (query: string) => toPlain(new URLSearchParams(query));

/** The saved views of the entries, below their section. */
export function ViewLinks({ domain, onOpen }: { domain: string; onOpen: () => void }) {
  const { data = [] } = useQuery(viewsQuery(domain));
  const { pathname, search } = useLocation();
  const entries = `/applications/${domain}/entries`;
  if (data.length === 0) return null;
  return (
    <ul className="view-links" aria-label={words.views.ofSection}>
      {data.map(({ id, name, query, shared }) => (
        <li key={id}>
          <Link
            to={{ pathname: entries, search: query }}
            title={`${name} (${shared ? words.views.shared : words.views.private})`}
            aria-current={pathname === entries && plain(search) === plain(query) ? 'true' : undefined}
            className="section-link"
            onClick={onOpen}
          >
            <span>{name}</span>
          </Link>
        </li>
      ))}
    </ul>
  );
}
