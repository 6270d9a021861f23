import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type Route, removeRoute, routesQuery } from '../../api/installation/routes.js';
import { useCan } from '../../session/session.js';
import { text } from '../../text/en.js';
import { useAddDialog } from '../../ui/basics/use-add-dialog.js';
import { ConfirmButton } from '../../ui/dialogs/confirm-button.js';
import { EmptyState } from '../../ui/feedback/empty-state.js';
import { notify } from '../../ui/feedback/notices.js';
import { Page } from '../../ui/layout/page.js';
import { type Column, DataTable } from '../../ui/tables/data-table.js';
import { NewRouteDialog } from './route-form.js';

const words = text.routes;

export function RoutesPage() {
  const { data, error, refetch } = useQuery(routesQuery);
  const canChange = useCan('owner', 'installation');
  const isEmpty = data?.routes.length === 0;
  const { add, dialog } = useAddDialog(words.add, canChange, (onClose) => <NewRouteDialog onClose={onClose} />);
  return (
    <Page title={words.title} lead={words.lead} actions={!isEmpty && add}>
      <DataTable
        caption={words.title}
        columns={canChange ? [...COLUMNS, REMOVE] : COLUMNS}
        rows={data?.routes}
        error={error}
        onRetry={() => void refetch()}
        empty={
          <EmptyState icon="route" title={words.empty} hint={words.emptyHint(data?.smsCarrier ?? '')} action={add} />
        }
      />
      {data && !isEmpty && <Text c="dimmed">{words.otherwise(data.smsCarrier)}</Text>}
      {dialog}
    </Page>
  );
}

const COLUMNS: readonly Column<Route>[] = [
  { key: 'account', header: words.account, render: ({ accountName }) => accountName ?? words.all },
  {
    key: 'code',
    header: words.callingCode,
    render: ({ callingCode }) => (callingCode === null ? words.all : `+${callingCode}`),
  },
  { key: 'sender', header: words.sender, render: ({ sender }) => sender ?? words.all },
  { key: 'carriers', header: words.carriers, render: ({ carriers }) => carriers.join(' → ') },
  { key: 'position', header: words.position, align: 'right', render: ({ position }) => position },
];

const REMOVE: Column<Route> = {
  key: 'remove',
  header: words.actions,
  align: 'right',
  bare: true,
  render: (route) => (
    <ConfirmButton
      size="xs"
      title={words.removeTitle(describeRoute(route))}
      consequence={words.removeConsequence(route.carriers.join(', '))}
      confirm={words.removeConfirm}
      onConfirm={async () => {
        await removeRoute(route.id);
        notify(words.removed);
      }}
    >
      {words.remove}
    </ConfirmButton>
  ),
};

function describeRoute({ accountName, callingCode, sender }: Route): string {
  return words.target(
    accountName ?? words.everyAccount,
    callingCode === null ? words.everyNumber : words.numberOf(callingCode),
    sender === null ? words.everySender : words.senderOf(sender),
  );
}
