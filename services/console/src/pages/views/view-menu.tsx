import { Drawer, Menu } from '@mantine/core';
import { useClipboard, useDisclosure } from '@mantine/hooks';
import { useLocation } from 'react-router';
import { SmallButton } from '../../components/buttons.tsx';
import { Icon } from '../../components/icons.tsx';
import { showSuccess } from '../../components/toasts.ts';
import { words } from '../../words/en.ts';
import type { View } from '../entries/view.ts';
import { toFixed } from './view-query.ts';
import { ViewsList } from './views-list.tsx';

/** Copies a link to what the page of entries shows, and keeps it as a view. */
export function ViewMenu({ view }: { view: View }) {
  const clipboard = useClipboard();
  const { pathname } = useLocation();
  const [isOpen, { open, close }] = useDisclosure();
  function copy() {
    clipboard.copy(`${window.location.origin}${pathname}?${toFixed(view, Date.now())}`);
    showSuccess(words.views.linkCopied);
  }
  return (
    <>
      <Menu withInitialFocusPlaceholder={false} position="bottom-end">
        <Menu.Target>
          <SmallButton className="icon-on-phone" aria-label={words.views.menu}>
            <span className="wide-only">{words.views.menu}</span>
            <span className="narrow-only">
              <Icon name="views" />
            </span>
          </SmallButton>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={copy}>{words.views.copyLink}</Menu.Item>
          <Menu.Item onClick={open}>{words.views.change}</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Drawer opened={isOpen} onClose={close} position="right" size="lg" title={words.views.title}>
        <ViewsList view={view} />
      </Drawer>
    </>
  );
}
