import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useLocation } from 'react-router';
import { applicationQuery } from '../../api/applications.ts';
import { viewsQuery } from '../../api/views.ts';
import { words } from '../../words/en.ts';
import { toPlain } from './plain-query.ts';
import { ViewActions } from './view-actions.tsx';

/** More would push the sections out of sight. */
const mostFolded = 7;

const plain = (query: string) => toPlain(new URLSearchParams(query));

/** The saved views of the entries, below their section. */
export function ViewLinks({ domain, onOpen }: { domain: string; onOpen: () => void }) {
  const { data = [] } = useQuery(viewsQuery(domain));
  const { data: application } = useQuery(applicationQuery(domain));
  const [isWhole, setWhole] = useState(false);
  const { pathname, search } = useLocation();
  const entries = `/applications/${domain}/entries`;
  if (data.length === 0) return null;
  const isOpen = (query: string) => pathname === entries && plain(search) === plain(query);
  // A button in place of a single view would save nothing.
  const isLong = data.length > mostFolded + 1;
  const shown = isLong && !isWhole ? data.filter(({ query }, at) => at < mostFolded || isOpen(query)) : data;
  return (
    <div className="view-links">
      <ul aria-label={words.views.ofSection}>
        {shown.map((view) => (
          <li key={view.id}>
            <Link
              to={{ pathname: entries, search: view.query }}
              title={`${view.name} (${view.shared ? words.views.shared : words.views.private})`}
              aria-current={isOpen(view.query) ? 'true' : undefined}
              className="section-link"
              onClick={onOpen}
            >
              <span>{view.name}</span>
            </Link>
            {application && <ViewActions {...{ application, view }} />}
          </li>
        ))}
      </ul>
      {isLong && (
        <Button variant="subtle" size="compact-xs" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? words.views.showFewer : words.views.showAll(data.length)}
        </Button>
      )}
    </div>
  );
}
