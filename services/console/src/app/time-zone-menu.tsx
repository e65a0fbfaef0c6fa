import { Menu, UnstyledButton } from '@mantine/core';
import { browserZone, offsetNow, type TimeZone, timeZone, useTimeZone } from '../components/time-zone.ts';
import { words } from '../words/en.ts';

/** Says in which time zone all times are, and changes it. */
export function TimeZoneMenu() {
  const zone = useTimeZone();
  const shown = zone === 'utc' ? words.timeZone.utc : browserZone();
  return (
    <Menu withInitialFocusPlaceholder={false} position="bottom-end">
      <Menu.Target>
        <UnstyledButton className="zone" title={words.timeZone.shown(shown)}>
          {offsetNow()}
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{words.timeZone.title}</Menu.Label>
        <Menu.RadioGroup value={zone} onChange={(chosen) => timeZone.choose(chosen as TimeZone)}>
          <Menu.RadioItem value="browser">{words.timeZone.browser(browserZone())}</Menu.RadioItem>
          <Menu.RadioItem value="utc">{words.timeZone.utc}</Menu.RadioItem>
        </Menu.RadioGroup>
      </Menu.Dropdown>
    </Menu>
  );
}
