import { Button, Group as Row, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useKeyPages } from '../../api/key-pages.js';
import { liftOptOut, type OptOut, optOutsPath } from '../../api/opt-outs.js';
import { useSearchParams } from '../../app/search.js';
import { useAccountId, useCan } from '../../app/session.js';
import { text } from '../../text/en.js';
import { ConfirmButton } from '../../ui/confirm-button.js';
import { actionsColumn, type Column, DataTable } from '../../ui/data-table.js';
import { EmptyState } from '../../ui/empty-state.js';
import { Icon } from '../../ui/icons.js';
import { notify } from '../../ui/notices.js';
import { Page } from '../../ui/page.js';
import { SearchField } from '../../ui/search-field.js';
import { TimeText } from '../../ui/time-text.js';
import { OptOutDialog } from './opt-out-dialog.js';
import { OptOutWords } from './opt-out-words.js';

const words = text.optOuts;

export function OptOutsPage() {
  const accountId = useAccountId();
  const mayChange = useCan('developer');
  const [adding, setAdding] = useState(false);
  return (
    <Page
      title={words.title}
      lead={words.lead}
      actions={
        mayChange && (
          <Button leftSection={<Icon name="plus" size={16} />} onClick={() => setAdding(true)}>
            {words.add}
          </Button>
        )
      }
    >
      <OptOuts accountId={accountId} mayChange={mayChange} />
      <OptOutWords accountId={accountId} mayChange={mayChange} />
      {adding && <OptOutDialog accountId={accountId} onClose={() => setAdding(false)} />}
    </Page>
  );
}

/** The number of a WhatsApp channel with its plus sign; an SMS sender ID as it is. */
const senderText = ({ kind, sender }: OptOut) => (kind === 'whatsapp' && /^\d+$/.test(sender) ? `+${sender}` : sender);

function OptOuts({ accountId, mayChange }: { accountId: string; mayChange: boolean }) {
  const client = useQueryClient();
  const [{ search }] = useSearchParams();
  const pages = useKeyPages<OptOut>({
    queryKey: ['opt-outs', accountId, 'list'],
    path: optOutsPath(accountId),
    query: { search },
  });
  const lift = async ({ kind, sender, phone }: OptOut) => {
    await liftOptOut(accountId, { kind, sender, phone });
    notify(words.lifted);
    await client.invalidateQueries({ queryKey: ['opt-outs', accountId] });
    await client.invalidateQueries({ queryKey: ['contacts', accountId] });
  };
  const columns: Column<OptOut>[] = [
    {
      key: 'phone',
      header: words.phone,
      bare: true,
      nowrap: true,
      render: ({ phone }) => <Text fw={500}>+{phone}</Text>,
    },
    {
      key: 'sender',
      header: words.sender,
      render: (optOut) => `${words.kinds[optOut.kind]} · ${senderText(optOut)}`,
    },
    {
      key: 'reason',
      header: words.reason,
      render: ({ keyword }) => (keyword === null ? words.byHand : words.wrote(keyword)),
    },
    {
      key: 'decidedAt',
      header: words.decidedAt,
      nowrap: true,
      render: ({ decidedAt }) => <TimeText value={decidedAt} />,
    },
  ];
  if (mayChange) {
    columns.push(
      actionsColumn((optOut) => (
        <ConfirmButton
          size="xs"
          title={words.liftTitle(`+${optOut.phone}`, senderText(optOut))}
          consequence={words.liftConsequence}
          confirm={words.liftConfirm}
          onConfirm={() => lift(optOut)}
        >
          {words.lift}
        </ConfirmButton>
      )),
    );
  }
  return (
    <Stack gap="md">
      <Row>
        <SearchField label={words.search} />
      </Row>
      <DataTable
        caption={words.title}
        columns={columns}
        rowKey={({ kind, sender, phone }) => `${kind} ${sender} ${phone}`}
        pages={pages}
        empty={
          search ? (
            <EmptyState icon="search" title={words.noMatch} />
          ) : (
            <EmptyState icon="ban" title={words.empty} hint={words.emptyHint} />
          )
        }
      />
    </Stack>
  );
}
