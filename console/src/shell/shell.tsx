import { AppShell, Burger, Group } from '@mantine/core';
import { useDisclosure, useHotkeys } from '@mantine/hooks';
import { Outlet, useLocation, useParams } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { useLive } from '../api/client/live.js';
import { ConfirmIdentity } from '../session/confirm-identity.js';
import { PasswordNeededAlert } from '../session/password-needed.js';
import { text } from '../text/en.js';
import { Wordmark } from '../ui/basics/wordmark.js';
import { Notices } from '../ui/feedback/notices.js';
import { AccountChoice, ChannelChoice } from './choices.js';
import { useRestoreFocus } from './focus.js';
import { Navigation } from './navigation.js';
import { OperatorMenu } from './operator-menu.js';
import classes from './shell.module.css';

export function Shell() {
  const [opened, { toggle, close }] = useDisclosure();
  const { accountId } = useParams({ strict: false });
  const { pathname } = useLocation();
  useLive(accountId ?? null);
  useRestoreFocus();
  // biome-ignore lint/correctness/useExhaustiveDependencies: each new page closes the drawer.
  useEffect(close, [pathname]);
  const burger = useRef<HTMLButtonElement>(null);
  const leave = () => {
    close();
    burger.current?.focus();
  };
  useHotkeys(opened ? [['Escape', leave]] : []);
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 232, breakpoint: 'sm', collapsed: { mobile: !opened } }}
      padding={{ base: 'md', sm: 'xl' }}
    >
      <a href="#main" className={classes.skip}>
        {text.shell.skip}
      </a>
      <AppShell.Header>
        <Group h="100%" px="md" gap="sm" wrap="nowrap">
          <Burger
            ref={burger}
            opened={opened}
            onClick={toggle}
            hiddenFrom="sm"
            size="sm"
            aria-label={opened ? text.shell.closeNavigation : text.shell.openNavigation}
          />
          <Wordmark />
          <Group gap="xs" wrap="nowrap" className={classes.choices}>
            <AccountChoice />
            <ChannelChoice />
          </Group>
          <OperatorMenu />
        </Group>
      </AppShell.Header>
      <AppShell.Navbar className={classes.navbar}>
        <Navigation onChoose={close} />
      </AppShell.Navbar>
      <AppShell.Main id="main" tabIndex={-1} className={classes.main}>
        <PasswordNeededAlert />
        <Outlet />
      </AppShell.Main>
      <ConfirmIdentity />
      <Notices />
    </AppShell>
  );
}
