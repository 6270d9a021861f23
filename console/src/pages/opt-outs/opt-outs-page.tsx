import { Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useKeyPages } from '../../api/client/key-pages.js';
import { liftOptOut, type OptOut } from '../../api/opt-outs.js';
import { useSearchParams } from '../../browser/search.js';
import { useAccountId, useCan } from '../../session/session.js';
import { text } from '../../text/en.js';
import { useAddDialog } from '../../ui/basics/use-add-dialog.js';
import { ConfirmButton } from '../../ui/dialogs/confirm-button.js';
import { notify } from '../../ui/feedback/notices.js';
import { Page } from '../../ui/layout/page.js';
import { actionsColumn, type Column } from '../../ui/tables/data-table.js';
import { SearchedTable } from '../../ui/tables/searched-table.js';
import { personText, senderText } from '../../ui/values/phone.js';
import { TimeText } from '../../ui/values/time-text.js';
import { KeywordReplies } from './keyword-replies.js';
import { OptOutDialog } from './opt-out-dialog.js';
import { OptOutWords } from './opt-out-words.js';

const words = text.optOuts;

export function OptOutsPage() {
  const accountId = useAccountId();
  const mayChange = useCan('developer');
  const { add, dialog } = useAddDialog(words.add, mayChange, (onClose) => (
    <OptOutDialog accountId={accountId} onClose={onClose} />
  ));
  return (
    <Page title={words.title} lead={words.lead} actions={add}>
      <OptOuts accountId={accountId} mayChange={mayChange} add={add} />
      <OptOutWords accountId={accountId} mayChange={mayChange} />
      <KeywordReplies accountId={accountId} mayChange={mayChange} />
      {dialog}
    </Page>
  );
}

interface OptOutsProps {
  accountId: string;
  mayChange: boolean;
  add: ReactNode;
}

function OptOuts({ accountId, mayChange, add }: OptOutsProps) {
  const client = useQueryClient();
  const [{ search }] = useSearchParams();
  const pages = useKeyPages({
    queryKey: ['opt-outs', accountId, 'list'],
    endpoint: 'GET /accounts/:accountId/opt-outs',
    params: { accountId },
    query: { search },
  });
  const lift = async ({ kind, sender, phone, userId }: OptOut) => {
    const person = phone === null ? { userId: userId ?? '' } : { phone };
    await liftOptOut(accountId, { kind, sender, ...person });
    notify(words.lifted);
    await client.invalidateQueries({ queryKey: ['opt-outs', accountId] });
    await client.invalidateQueries({ queryKey: ['contacts', accountId] });
  };
  const columns: Column<OptOut>[] = [
    {
      key: 'phone',
      header: words.person,
      bare: true,
      nowrap: true,
      render: (optOut) => <Text fw={500}>{personText(optOut)}</Text>,
    },
    {
      key: 'sender',
      header: words.sender,
      render: (optOut) => `${words.kinds[optOut.kind]} · ${senderText(optOut.sender)}`,
    },
    { key: 'scope', header: words.blocks, render: ({ scope }) => words.scopes[scope] },
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
          {...words.liftQuestion(personText(optOut), senderText(optOut.sender))}
          onConfirm={() => lift(optOut)}
        >
          {words.lift}
        </ConfirmButton>
      )),
    );
  }
  return (
    <SearchedTable
      words={words}
      icon="ban"
      columns={columns}
      pages={pages}
      rowKey={({ kind, sender, phone, userId }) => `${kind} ${sender} ${phone ?? userId}`}
      action={add}
    />
  );
}
