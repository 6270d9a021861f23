import { Alert, Button, Code, Group, Stack, Switch, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import {
  changeLinkSettings,
  checkLinkDomain,
  type LinkSettings,
  linkSettingsQuery,
} from '../../api/account/short-links.js';
import { findFieldProblem } from '../../api/client/request.js';
import { useCan } from '../../session/session.js';
import { text } from '../../text/en.js';
import { WorkButton } from '../../ui/dialogs/work-button.js';
import { ErrorState } from '../../ui/feedback/error-state.js';
import { notify } from '../../ui/feedback/notices.js';
import { CopyField } from '../../ui/forms/copy-field.js';
import { TextField } from '../../ui/forms/text-field.js';
import { useFieldEdits } from '../../ui/forms/use-field-edits.js';
import { Section } from '../../ui/layout/section.js';
import { Facts } from '../../ui/tables/facts.js';

const words = text.shortLinks;

export function ShortLinksSection({ accountId }: { accountId: string }) {
  const { data: settings, error, refetch } = useQuery(linkSettingsQuery(accountId));
  const mayChange = useCan('owner');
  return (
    <Section title={words.title} lead={words.lead}>
      {error && <ErrorState error={error} onRetry={() => void refetch()} />}
      {settings && (
        <Stack gap="lg" maw={560}>
          {mayChange ? (
            <LinksForm accountId={accountId} settings={settings} />
          ) : (
            <Facts facts={[[words.isOn, settings.isOn ? words.yes : words.no]]} />
          )}
          <Text size="sm">
            {words.base} <Code>{settings.base}</Code>
          </Text>
          {mayChange && settings.domain && <DomainProof accountId={accountId} domain={settings.domain} />}
        </Stack>
      )}
    </Section>
  );
}

function LinksForm({ accountId, settings }: { accountId: string; settings: LinkSettings }) {
  const client = useQueryClient();
  const { values, changes, isChanged, set, settle } = useFieldEdits({
    isOn: settings.isOn,
    host: settings.domain?.host ?? '',
  });
  const save = useMutation({
    mutationFn: async (sent: typeof changes) => {
      const { isOn, host } = sent;
      const saved = await changeLinkSettings(accountId, {
        isOn,
        ...(host !== undefined && { host: host.trim() === '' ? null : host }),
      });
      client.setQueryData(linkSettingsQuery(accountId).queryKey, saved);
      settle(sent);
      notify(words.saved);
    },
  });
  const problem = findFieldProblem(save.error, 'host');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate(changes);
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <Switch
          label={words.isOn}
          description={words.isOnHint}
          checked={values.isOn}
          onChange={(event) => set('isOn', event.currentTarget.checked)}
        />
        <TextField
          label={words.domain}
          description={words.domainHint}
          spellCheck={false}
          autoCapitalize="none"
          value={values.host}
          error={problem}
          onChange={(host) => set('host', host)}
        />
        {save.error && !problem && <ErrorState error={save.error} />}
        <Group>
          <Button type="submit" variant="default" loading={save.isPending} disabled={!isChanged}>
            {words.save}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function DomainProof({ accountId, domain }: { accountId: string; domain: NonNullable<LinkSettings['domain']> }) {
  const client = useQueryClient();
  const check = async () => {
    const { result, ...settings } = await checkLinkDomain(accountId);
    client.setQueryData(linkSettingsQuery(accountId).queryKey, settings);
    notify(words.results[result]);
  };
  return (
    <Stack gap="sm">
      <Alert color={domain.verifiedAt ? 'green' : 'yellow'} variant="light">
        {domain.verifiedAt ? words.proved : words.unproved}
      </Alert>
      <CopyField label={words.recordName} value={domain.recordName} />
      <CopyField label={words.recordText} value={domain.recordText} />
      <Group>
        <WorkButton work={check}>{words.check}</WorkButton>
      </Group>
    </Stack>
  );
}
