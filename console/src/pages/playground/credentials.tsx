import { Alert, Group, PasswordInput, Select, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { appsQuery, keysQuery } from '../../api/account/keys.js';
import { rememberSecret, useSecrets } from '../../browser/secrets.js';
import { useAccount, useAccountId, useChannel } from '../../session/session.js';
import { text } from '../../text/en.js';
import { Icon } from '../../ui/basics/icons.js';
import { TextLink } from '../../ui/basics/links.js';
import type { Credentials } from './draft.js';
import type { Surface } from './operations.js';

export interface CallerChoice {
  id: string | undefined;
  credentials: Credentials;
  isComplete: boolean;
}

/** Selects an app or key whose secret this tab knows, if there is one. */
export function useCaller(surface: Surface, chosenId: string | undefined): CallerChoice {
  const accountId = useAccountId();
  const secrets = useSecrets(accountId);
  const options = useCallers(surface);
  const { channel } = useChannel();
  const id =
    options.find((option) => option.id === chosenId)?.id ??
    options.find((option) => secrets.some((secret) => secret.id === option.id))?.id ??
    options[0]?.id;
  const secret = secrets.find((candidate) => candidate.id === id);
  const channelIds = options.find((option) => option.id === id)?.channelIds ?? [];
  const channelId = (channelIds.includes(channel?.id ?? '') ? channel?.id : channelIds[0]) ?? '';
  const credentials = { key: secret?.key ?? '', secret: secret?.secret ?? '', channelId };
  const isComplete = credentials.key !== '' && (surface === 'a' || (credentials.secret !== '' && channelId !== ''));
  return { id, credentials, isComplete };
}

interface Caller {
  id: string;
  name: string;
  lastFour: string;
  channelIds: readonly string[];
}

function useCallers(surface: Surface): readonly Caller[] {
  const accountId = useAccountId();
  const apps = useQuery({ ...appsQuery(accountId), enabled: surface === 'a' }).data ?? [];
  const keys = useQuery({ ...keysQuery(accountId), enabled: surface === 'b' }).data ?? [];
  const candidates = surface === 'a' ? apps.map((app) => ({ ...app, channelIds: [] })) : keys;
  return candidates.filter(({ revokedAt }) => !revokedAt);
}

interface CredentialsFormProps {
  surface: Surface;
  caller: CallerChoice;
  onChoose(id: string): void;
}

export function CredentialsForm({ surface, caller, onChoose }: CredentialsFormProps) {
  const accountId = useAccountId();
  const account = useAccount();
  const callers = useCallers(surface);
  const { choose } = useChannel();
  const secrets = useSecrets(accountId);
  const chosenCaller = callers.find(({ id }) => id === caller.id);
  if (!chosenCaller) return <NoCaller surface={surface} />;
  const isKnown = (id: string) => secrets.some((secret) => secret.id === id);
  const remember = (change: { key?: string; secret?: string }) => {
    const { key, secret } = { ...caller.credentials, ...change };
    rememberSecret({ id: chosenCaller.id, accountId, name: chosenCaller.name, key: key.trim(), secret: secret.trim() });
  };
  return (
    <Stack gap="sm">
      <Group grow align="flex-start">
        <Select
          label={surface === 'a' ? text.playground.app : text.playground.key}
          data={callers.map(({ id, name, lastFour }) => ({
            value: id,
            label: `${name} (…${lastFour})${isKnown(id) ? '' : ` ${text.playground.needsSecret}`}`,
          }))}
          value={chosenCaller.id}
          onChange={(id) => id && onChoose(id)}
          allowDeselect={false}
        />
        {surface === 'b' && chosenCaller.channelIds.length > 1 && (
          <Select
            label={text.shell.channel}
            data={chosenCaller.channelIds.map((id) => ({
              value: id,
              label: account?.channels.find((channel) => channel.id === id)?.name ?? id,
            }))}
            value={caller.credentials.channelId}
            onChange={(id) => id && choose(id)}
            allowDeselect={false}
          />
        )}
      </Group>
      <SecretField
        label={surface === 'a' ? text.apps.apiKey : text.apiKeys.apiKey}
        ending={chosenCaller.lastFour}
        value={caller.credentials.key}
        onChange={(key) => remember({ key })}
      />
      {surface === 'b' && (
        <>
          <SecretField
            label={text.apiKeys.secret}
            value={caller.credentials.secret}
            onChange={(secret) => remember({ secret })}
          />
          <TextInput label="X-Channel-Id" value={caller.credentials.channelId} readOnly />
        </>
      )}
      {!caller.isComplete && (
        <Text size="sm" c="dimmed">
          {text.playground.secretHint}
        </Text>
      )}
    </Stack>
  );
}

function SecretField({
  label,
  ending,
  value,
  onChange,
}: {
  label: string;
  ending?: string;
  value: string;
  onChange(value: string): void;
}) {
  return (
    <PasswordInput
      label={label}
      placeholder={ending ? text.playground.keyEnding(ending) : undefined}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      // Password managers must not store the key, because it is not a password of this site.
      autoComplete="off"
      data-1p-ignore
      data-lpignore="true"
      spellCheck={false}
    />
  );
}

function NoCaller({ surface }: { surface: Surface }) {
  const accountId = useAccountId();
  return (
    <Alert icon={<Icon name="key" />} color="blue" title={text.playground.noCaller[surface]}>
      {surface === 'a' ? (
        <TextLink to="/a/$accountId/developers/apps" params={{ accountId }}>
          {text.playground.toApps}
        </TextLink>
      ) : (
        <TextLink to="/a/$accountId/settings/api" params={{ accountId }}>
          {text.playground.toKeys}
        </TextLink>
      )}
    </Alert>
  );
}
