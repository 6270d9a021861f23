import { Menu, UnstyledButton } from '@mantine/core';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useChannel, useSession, useShownAccount } from '../session/session.js';
import { text } from '../text/en.js';
import { Icon } from '../ui/basics/icons.js';
import classes from './shell.module.css';

interface Choice {
  id: string;
  label: string;
}

export function AccountChoice() {
  const session = useSession();
  const navigate = useNavigate();
  const accountId = useShownAccount();
  const accounts = (session?.accounts ?? []).map(({ id, name }) => ({ id, label: name }));
  if (accounts.length === 0) return null;
  return (
    <ChoiceMenu
      label={text.shell.account}
      none={text.shell.chooseAccount}
      choices={accounts}
      chosen={accountId}
      onChoose={(id) => void navigate({ to: '/a/$accountId/overview', params: { accountId: id }, search: {} })}
    />
  );
}

/** Menu for choosing a channel, hidden if the account has only one channel. */
export function ChannelChoice() {
  const { accountId } = useParams({ strict: false });
  const { channel, channels, choose } = useChannel();
  if (!accountId || !channels || channels.length < 2) return null;
  return (
    <ChoiceMenu
      label={text.shell.channel}
      none={text.shell.chooseChannel}
      choices={channels.map(({ id, name }) => ({ id, label: name }))}
      chosen={channel?.id}
      onChoose={choose}
    />
  );
}

interface ChoiceMenuProps {
  label: string;
  none: string;
  choices: readonly Choice[];
  chosen: string | undefined;
  onChoose(id: string): void;
}

function ChoiceMenu({ label, none, choices, chosen, onChoose }: ChoiceMenuProps) {
  const chosenLabel = choices.find(({ id }) => id === chosen)?.label ?? none;
  return (
    <Menu position="bottom-start" width={260}>
      <Menu.Target>
        <UnstyledButton className={classes.choice} aria-label={`${label}: ${chosenLabel}`}>
          <span>{chosenLabel}</span>
          <Icon name="chevron-down" size={14} />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown mah="70vh" style={{ overflowY: 'auto' }}>
        <Menu.Label>{label}</Menu.Label>
        {choices.map((choice) => (
          <Menu.Item
            key={choice.id}
            aria-current={choice.id === chosen}
            leftSection={<Icon name={choice.id === chosen ? 'check' : 'blank'} size={16} />}
            onClick={() => onChoose(choice.id)}
          >
            {choice.label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
