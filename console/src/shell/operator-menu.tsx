import { ActionIcon, type MantineColorScheme, Menu, useMantineColorScheme } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { signOut } from '../api/session.js';
import { forgetDrafts } from '../browser/drafts.js';
import { forgetSecrets } from '../browser/secrets.js';
import { cannotSignInAgain, SignOutWithoutPassword } from '../session/password-needed.js';
import { useSession } from '../session/session.js';
import { text } from '../text/en.js';
import { Icon, type IconName } from '../ui/basics/icons.js';
import { notifyError } from '../ui/feedback/notices.js';

const SCHEMES: readonly { scheme: MantineColorScheme; label: string; icon: IconName }[] = [
  { scheme: 'light', label: text.shell.light, icon: 'sun' },
  { scheme: 'dark', label: text.shell.dark, icon: 'moon' },
  { scheme: 'auto', label: text.shell.auto, icon: 'screen' },
];

export function OperatorMenu() {
  const session = useSession();
  const client = useQueryClient();
  const navigate = useNavigate();
  const [isConfirming, setIsConfirming] = useState(false);
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const leave = async () => {
    try {
      await signOut();
      client.clear();
      forgetSecrets();
      forgetDrafts();
      await navigate({ to: '/sign-in', search: {} });
    } catch (error) {
      notifyError(error);
    }
  };
  return (
    <>
      <Menu position="bottom-end" width={220}>
        <Menu.Target>
          <ActionIcon size="lg" aria-label={text.shell.operatorMenu}>
            <Icon name="user" />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>{session?.operator.name}</Menu.Label>
          <Menu.Item component={Link} to="/me" leftSection={<Icon name="shield" size={16} />}>
            {text.shell.me}
          </Menu.Item>
          <Menu.Divider />
          <Menu.Label>{text.shell.colorScheme}</Menu.Label>
          {SCHEMES.map(({ scheme, label, icon }) => (
            <Menu.Item
              key={scheme}
              role="menuitemradio"
              aria-checked={scheme === colorScheme}
              leftSection={<Icon name={icon} size={16} />}
              rightSection={scheme === colorScheme && <Icon name="check" size={16} />}
              onClick={() => setColorScheme(scheme)}
            >
              {label}
            </Menu.Item>
          ))}
          <Menu.Divider />
          <Menu.Item
            leftSection={<Icon name="sign-out" size={16} />}
            onClick={() => (cannotSignInAgain(session) ? setIsConfirming(true) : void leave())}
          >
            {text.shell.signOut}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <SignOutWithoutPassword
        opened={isConfirming}
        onClose={() => setIsConfirming(false)}
        onLeave={() => void leave()}
      />
    </>
  );
}
