import { Menu, UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import { applicationsQuery } from '../api/applications.ts';
import { Icon } from '../components/icons.tsx';
import { words } from '../words/en.ts';

const mostShown = 50;
const searchedFrom = 8;

/** Names the open application, and leads to the others. */
export function Switcher({ domain, onOpen }: { domain: string; onOpen: () => void }) {
  const { data = [] } = useQuery(applicationsQuery);
  const [search, setSearch] = useState('');
  const current = data.find((each) => each.domain === domain);
  const wanted = search.trim().toLowerCase();
  const found = data.filter(({ name, domain }) => `${name} ${domain}`.toLowerCase().includes(wanted));
  return (
    <Menu
      withInitialFocusPlaceholder={false}
      width={248}
      position="bottom-start"
      onClose={() => setSearch('')}
    >
      <Menu.Target>
        <UnstyledButton className="switcher" aria-label={words.layout.switch(current?.name ?? domain)}>
          <span>{current?.name ?? domain}</span>
          <Icon name="switch" />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        {data.length >= searchedFrom && (
          <Menu.Search
            placeholder={words.layout.findApplication}
            aria-label={words.layout.findApplication}
            value={search}
            onChange={(event) => setSearch(event.currentTarget.value)}
          />
        )}
        <div className="menu-scroll">
          {found.slice(0, mostShown).map((each) => (
            <Menu.Item
              key={each.domain}
              component={Link}
              to={`/applications/${each.domain}`}
              onClick={onOpen}
              aria-current={each.domain === domain ? 'page' : undefined}
            >
              {each.name}
              {each.role !== 'owner' && <small> {words.layout.sharedBy(each.owner)}</small>}
            </Menu.Item>
          ))}
        </div>
        <Menu.Divider />
        <Menu.Item component={Link} to="/applications" onClick={onOpen} leftSection={<Icon name="list" />}>
          {words.layout.allApplications}
        </Menu.Item>
        <Menu.Item
          component={Link}
          to="/applications/new"
          onClick={onOpen}
          leftSection={<Icon name="plus" />}
        >
          {words.applications.create}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
