import { Badge, Group, Stack } from '@mantine/core';
import { useState } from 'react';
import { useKeyPages } from '../../api/client/key-pages.js';
import { type Operator, operatorsKey } from '../../api/operators/operators.js';
import { useSearchParams } from '../../browser/search.js';
import { useCan, useOperator } from '../../session/session.js';
import { text } from '../../text/en.js';
import { TextLink } from '../../ui/basics/links.js';
import { useAddDialog } from '../../ui/basics/use-add-dialog.js';
import { EmptyState } from '../../ui/feedback/empty-state.js';
import { Page } from '../../ui/layout/page.js';
import { type Column, DataTable } from '../../ui/tables/data-table.js';
import { StatusBadge } from '../../ui/values/status-badge.js';
import { TimeText } from '../../ui/values/time-text.js';
import { formatGrant } from './grant-fields.js';
import { LinkDialog, type NewLink } from './link-dialog.js';
import { NewOperatorDialog } from './new-operator.js';
import { OperatorDrawer } from './operator-drawer.js';

const words = text.operators;

export function OperatorsPage() {
  const [{ operator: chosenId, cursor }, setParams] = useSearchParams();
  const pages = useKeyPages({ queryKey: operatorsKey, endpoint: 'GET /operators' });
  const mayChange = useCan('owner', 'installation');
  const currentOperator = useOperator();
  const [newLink, setNewLink] = useState<NewLink | null>(null);
  const select = (id: string | undefined) => setParams({ operator: id, cursor });
  const { add, dialog } = useAddDialog(words.add, mayChange, (onClose) => (
    <NewOperatorDialog onClose={onClose} onLink={setNewLink} />
  ));
  return (
    <Page title={words.title} lead={words.lead} actions={add}>
      <DataTable
        caption={words.title}
        columns={buildColumns(currentOperator.id, cursor)}
        pages={pages}
        onOpen={({ id }) => select(id)}
        empty={<EmptyState icon="users" title={words.empty} action={add} />}
      />
      <OperatorDrawer
        operator={pages.rows?.find(({ id }) => id === chosenId) ?? null}
        mayChange={mayChange}
        onClose={() => select(undefined)}
        onLink={setNewLink}
      />
      {dialog}
      {newLink && <LinkDialog newLink={newLink} onClose={() => setNewLink(null)} />}
    </Page>
  );
}

function buildColumns(ownId: string, cursor: string | undefined): Column<Operator>[] {
  return [
    {
      key: 'name',
      header: words.name,
      bare: true,
      render: ({ id, name }) => (
        <Group gap="xs">
          <TextLink to="/installation/operators" search={{ operator: id, cursor }}>
            {name}
          </TextLink>
          {id === ownId && (
            <Badge variant="light" color="gray" radius="sm" tt="none" c="var(--mantine-color-text)">
              {words.you}
            </Badge>
          )}
        </Group>
      ),
    },
    {
      key: 'roles',
      header: words.roles,
      render: ({ grants }) =>
        grants.length === 0 ? (
          words.noRoles
        ) : (
          <Stack gap={0}>
            {grants.map((grant) => (
              <span key={grant.accountId}>{formatGrant(grant)}</span>
            ))}
          </Stack>
        ),
    },
    {
      key: 'password',
      header: words.password,
      render: ({ hasPassword, hasSecondFactor }) => {
        if (!hasPassword) return words.passwordNone;
        return hasSecondFactor ? words.passwordAndFactor : words.passwordSet;
      },
    },
    {
      key: 'last',
      header: words.lastSignIn,
      nowrap: true,
      render: ({ lastSignedInAt }) => <TimeText value={lastSignedInAt} none={text.common.never} />,
    },
    {
      key: 'state',
      header: words.state,
      render: ({ isActive }) => (
        <StatusBadge status={isActive ? 'active' : 'disabled'} label={isActive ? words.on : words.off} />
      ),
    },
  ];
}
