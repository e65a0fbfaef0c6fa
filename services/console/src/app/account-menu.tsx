import { Avatar, type MantineColorScheme, Menu, UnstyledButton, useMantineColorScheme } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from 'react-router';
import { signOut } from '../api/browser-session.ts';
import { profileQuery } from '../api/profile.ts';
import { choicesOf } from '../components/choice.tsx';
import { showFailure } from '../components/toasts.ts';
import { words } from '../words/en.ts';
import { apiDocsOf } from './api-docs.ts';

const pages = [
  ['/profile', words.profile.title],
  ['/applications/deleted', words.deleted.title],
  ['/audit', words.audit.title],
] as const;

export function AccountMenu() {
  const { data: user } = useQuery(profileQuery);
  const { domain } = useParams();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <Menu withInitialFocusPlaceholder={false} position="bottom-end" width={220}>
      <Menu.Target>
        <UnstyledButton aria-label={words.layout.account} className="avatar">
          <Avatar size={28} color="cyan" name={user?.username}>
            {user?.username.slice(0, 1).toUpperCase()}
          </Avatar>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        {user && <Menu.Label>{words.profile.signedInAs(user.username)}</Menu.Label>}
        {pages.map(([path, title]) => (
          <Menu.Item key={path} component={Link} to={path}>
            {title}
          </Menu.Item>
        ))}
        <Menu.Item component="a" href={apiDocsOf(domain)}>
          {words.layout.apiDocs}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Label>{words.layout.colorScheme}</Menu.Label>
        <Menu.RadioGroup
          value={colorScheme}
          onChange={(scheme) => setColorScheme(scheme as MantineColorScheme)}
        >
          {choicesOf(words.layout.colorSchemes).map(({ value, label }) => (
            <Menu.RadioItem key={value} value={value}>
              {label}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        <Menu.Divider />
        <Menu.Item onClick={() => signOut().catch(showFailure)}>{words.layout.signOut}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
