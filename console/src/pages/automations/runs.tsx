import { Button, Group, Stack, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { type Automation, automationsKey, cancelRun, type Run, triggerAutomation } from '../../api/automations.js';
import type { ChannelRef } from '../../api/channel-ref.js';
import { useKeyPages } from '../../api/client/key-pages.js';
import { findFieldProblem } from '../../api/client/request.js';
import { useSendOnce } from '../../api/client/use-send-once.js';
import { useSearchParams } from '../../browser/search.js';
import { useCan } from '../../session/session.js';
import { text } from '../../text/en.js';
import { Icon } from '../../ui/basics/icons.js';
import { ConfirmButton } from '../../ui/dialogs/confirm-button.js';
import { EmptyState } from '../../ui/feedback/empty-state.js';
import { ErrorState } from '../../ui/feedback/error-state.js';
import { notify } from '../../ui/feedback/notices.js';
import { StatusFilter } from '../../ui/forms/status-filter.js';
import { Section } from '../../ui/layout/section.js';
import { type Column, DataTable } from '../../ui/tables/data-table.js';
import { isUserId, personText } from '../../ui/values/phone.js';
import { StatusBadge } from '../../ui/values/status-badge.js';
import { TimeText } from '../../ui/values/time-text.js';

const words = text.automations;
const STATES = ['running', 'waiting', 'completed', 'failed', 'canceled'] as const;
const IN_PROGRESS = ['running', 'waiting'];
const POLL_MS = 1_500;

export function Runs({ channelRef, automation }: { channelRef: ChannelRef; automation: Automation }) {
  const client = useQueryClient();
  const mayChange = useCan('developer');
  const [params] = useSearchParams();
  const queryKey = [...automationsKey(channelRef), automation.id, 'runs'];
  const pages = useKeyPages({
    queryKey,
    endpoint: 'GET /accounts/:accountId/channels/:channelId/automations/:id/runs',
    params: { ...channelRef, id: automation.id },
    query: { status: params.status },
    pollInterval: (rows) => rows.some(({ status }) => IN_PROGRESS.includes(status)) && POLL_MS,
  });
  const refresh = () => client.invalidateQueries({ queryKey });
  const cancel = async ({ id }: Run) => {
    await cancelRun(channelRef, automation.id, id);
    await refresh();
    notify(words.canceled);
  };
  const columns: Column<Run>[] = [
    {
      key: 'contact',
      header: words.contact,
      bare: true,
      render: ({ contact }) => (contact.name === '' ? personText(contact) : `${contact.name} (${personText(contact)})`),
    },
    {
      key: 'status',
      header: words.status,
      render: ({ status }) => <StatusBadge status={status} color={runColor(status)} />,
    },
    { key: 'step', header: words.stepsDone, render: ({ step, stepCount }) => words.stepProgress(step, stepCount) },
    { key: 'started', header: words.started, nowrap: true, render: ({ startedAt }) => <TimeText value={startedAt} /> },
    {
      key: 'note',
      header: words.note,
      render: ({ errorMessage, waitingUntil }) =>
        waitingUntil ? (
          <>
            {words.waitsUntil} <TimeText value={waitingUntil} />
          </>
        ) : (
          (errorMessage ?? '–')
        ),
    },
    ...(mayChange ? [{ key: 'cancel', header: words.action, bare: true, render: renderCancelButton }] : []),
  ];
  function renderCancelButton(run: Run) {
    if (!IN_PROGRESS.includes(run.status)) return null;
    return (
      <ConfirmButton
        size="xs"
        {...words.cancelQuestion(run.contact.name || personText(run.contact))}
        onConfirm={() => cancel(run)}
      >
        {words.cancelRun}
      </ConfirmButton>
    );
  }
  return (
    <>
      {mayChange && <TriggerForm channelRef={channelRef} automation={automation} onStarted={refresh} />}
      <Section title={words.runs}>
        <StatusFilter label={words.status} allLabel={words.all} statuses={STATES} names={words.states} />
        <DataTable
          caption={words.runTable}
          columns={columns}
          pages={pages}
          empty={<EmptyState icon="play" title={words.noRuns} hint={words.noRunsHint} />}
        />
      </Section>
    </>
  );
}

function runColor(status: string): 'yellow' | undefined {
  return status === 'waiting' ? 'yellow' : undefined;
}

interface TriggerFormProps {
  channelRef: ChannelRef;
  automation: Automation;
  onStarted(): Promise<void>;
}

function TriggerForm({ channelRef, automation, onStarted }: TriggerFormProps) {
  const names = listVariables(automation);
  const [phone, setPhone] = useState('');
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const sendOnce = useSendOnce();
  const { mutate, error, isPending } = useMutation({
    mutationFn: async () => {
      const variables = Object.fromEntries(names.map((name) => [name, values[name] ?? '']));
      const person = isUserId(phone) ? { userId: phone.trim() } : { phone: phone.replace(/[^\d]/g, '') };
      const body = { ...person, variables };
      await sendOnce(body, (key) => triggerAutomation(channelRef, automation.id, body, key));
      notify(words.triggered);
      await onStarted();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    mutate();
  };
  return (
    <Section title={words.try} lead={words.tryLead}>
      <form onSubmit={submit}>
        <Stack>
          <TextInput
            label={words.phone}
            description={words.phoneHint}
            required
            value={phone}
            error={findFieldProblem(error, 'phone') ?? findFieldProblem(error, 'userId')}
            onChange={(event) => setPhone(event.currentTarget.value)}
          />
          {names.map((name) => (
            <TextInput
              key={name}
              label={words.variable(name)}
              value={values[name] ?? ''}
              error={findFieldProblem(error, `variables.${name}`)}
              onChange={(event) => setValues({ ...values, [name]: event.currentTarget.value })}
            />
          ))}
          {error && <ErrorState error={error} />}
          <Group justify="flex-end">
            <Button
              type="submit"
              variant="default"
              loading={isPending}
              disabled={!automation.isActive}
              leftSection={<Icon name="play" size={16} />}
            >
              {words.tryButton}
            </Button>
          </Group>
        </Stack>
      </form>
    </Section>
  );
}

function listVariables({ steps }: Automation): string[] {
  const matches = JSON.stringify(steps).matchAll(/\{\{\s*variables\.(\w{1,64})/g);
  return [...new Set([...matches].map(([, name]) => String(name)))];
}
