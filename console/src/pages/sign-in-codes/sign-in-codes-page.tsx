import { Button, Group as Row, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { removeService, type SignInService, servicesQuery } from '../../api/sign-in-codes.js';
import { useAccountId, useCan } from '../../session/session.js';
import { text } from '../../text/en.js';
import { useAddDialog } from '../../ui/basics/use-add-dialog.js';
import { ConfirmButton } from '../../ui/dialogs/confirm-button.js';
import { EmptyState } from '../../ui/feedback/empty-state.js';
import { notify } from '../../ui/feedback/notices.js';
import { Page } from '../../ui/layout/page.js';
import { Section } from '../../ui/layout/section.js';
import { actionsColumn, type Column, DataTable, nameColumn } from '../../ui/tables/data-table.js';
import { StatusBadge } from '../../ui/values/status-badge.js';
import { CodeCountsTable } from './code-counts.js';
import { NewSecret, NewService } from './service-dialogs.js';

const words = text.signInCodes;

export function SignInCodesPage() {
  const accountId = useAccountId();
  const mayChange = useCan('developer');
  const { add, dialog } = useAddDialog(words.add, mayChange, (onClose) => (
    <NewService accountId={accountId} onClose={onClose} />
  ));
  return (
    <Page title={words.title} lead={words.lead} actions={add}>
      <Services accountId={accountId} mayChange={mayChange} />
      <Section title={words.counts} lead={words.countsLead}>
        <CodeCountsTable accountId={accountId} />
      </Section>
      {dialog}
    </Page>
  );
}

function Services({ accountId, mayChange }: { accountId: string; mayChange: boolean }) {
  const client = useQueryClient();
  const { data, error, refetch } = useQuery(servicesQuery(accountId));
  const [renewing, setRenewing] = useState<SignInService | null>(null);
  const remove = async ({ id }: SignInService) => {
    await removeService(accountId, id);
    notify(words.removed);
    await client.invalidateQueries({ queryKey: servicesQuery(accountId).queryKey });
  };
  const columns: Column<SignInService>[] = [
    nameColumn(words.type, ({ type, appName }) => (
      <Text fw={500}>
        {words.types[type]} · {appName}
      </Text>
    )),
    {
      key: 'way',
      header: words.sentBy,
      render: ({ sender, whatsappFrom }) =>
        whatsappFrom === null ? words.bySms(sender) : words.byWhatsapp(`+${whatsappFrom}`),
    },
    { key: 'path', header: words.address, breaks: true, render: ({ path }) => path },
    {
      key: 'state',
      header: words.state,
      render: ({ serviceSid, hasSecret }) =>
        serviceSid === null && !hasSecret ? (
          <StatusBadge status="degraded" label={words.needsSecret} />
        ) : (
          <StatusBadge status="active" label={words.ready} />
        ),
    },
  ];
  if (mayChange) {
    columns.push(
      actionsColumn((service) => (
        <ServiceActions service={service} onRenew={setRenewing} onRemove={() => remove(service)} />
      )),
    );
  }
  return (
    <>
      <DataTable
        caption={words.services}
        columns={columns}
        rows={data}
        error={error}
        onRetry={() => void refetch()}
        empty={<EmptyState icon="key" title={words.none} hint={words.noneHint} />}
      />
      {renewing && <NewSecret accountId={accountId} service={renewing} onClose={() => setRenewing(null)} />}
    </>
  );
}

interface ServiceActionsProps {
  service: SignInService;
  onRenew(service: SignInService): void;
  onRemove(): Promise<unknown>;
}

function ServiceActions({ service, onRenew, onRemove }: ServiceActionsProps) {
  const name = `${words.types[service.type]} · ${service.appName}`;
  return (
    <Row gap="xs" justify="flex-end" wrap="nowrap">
      {service.serviceSid === null && (
        <Button size="xs" variant="default" onClick={() => onRenew(service)}>
          {words.newSecret}
        </Button>
      )}
      <ConfirmButton size="xs" {...words.removeQuestion(name)} onConfirm={onRemove}>
        {words.remove}
      </ConfirmButton>
    </Row>
  );
}
