import { NativeSelect } from '@mantine/core';
import { useState } from 'react';
import { useKeyPages } from '../../api/client/key-pages.js';
import { addMember, type Member, membersKey, removeMember, setMemberRole } from '../../api/operators/members.js';
import type { Role } from '../../api/session.js';
import { useAccountId, useCan } from '../../session/session.js';
import { text } from '../../text/en.js';
import { useAddDialog } from '../../ui/basics/use-add-dialog.js';
import { ConfirmButton } from '../../ui/dialogs/confirm-button.js';
import { FormDialog } from '../../ui/dialogs/form-dialog.js';
import { EmptyState } from '../../ui/feedback/empty-state.js';
import { notify, notifyError } from '../../ui/feedback/notices.js';
import { Page } from '../../ui/layout/page.js';
import { type Column, DataTable } from '../../ui/tables/data-table.js';
import { TimeText } from '../../ui/values/time-text.js';
import { ROLE_CHOICES, RoleField } from './grant-fields.js';
import { LinkDialog, type NewLink } from './link-dialog.js';
import { NameField } from './name-field.js';

const words = text.members;
const { roleNames } = text.operators;

export function MembersPage() {
  const accountId = useAccountId();
  const mayChange = useCan('owner');
  const pages = useKeyPages({
    queryKey: membersKey(accountId),
    endpoint: 'GET /accounts/:accountId/operators',
    params: { accountId },
  });
  const [newLink, setNewLink] = useState<NewLink | null>(null);
  const { add, dialog } = useAddDialog(words.add, mayChange, (onClose) => (
    <NewMemberDialog accountId={accountId} onClose={onClose} onLink={setNewLink} />
  ));
  return (
    <Page title={words.title} lead={words.lead} actions={add}>
      <DataTable
        caption={words.title}
        columns={buildColumns(accountId, mayChange)}
        pages={pages}
        empty={<EmptyState icon="users" title={words.empty} hint={words.emptyHint} action={add} />}
      />
      {dialog}
      {newLink && <LinkDialog newLink={newLink} onClose={() => setNewLink(null)} />}
    </Page>
  );
}

function buildColumns(accountId: string, mayChange: boolean): Column<Member>[] {
  const setRole = (member: Member, role: Role) =>
    setMemberRole(accountId, member.id, role).then(() => notify(words.changed(member.name)), notifyError);
  const revokeRole = async ({ id, name }: Member) => {
    await removeMember(accountId, id);
    notify(words.roleRevoked(name));
  };
  return [
    { key: 'name', header: text.operators.name, bare: true, render: ({ name }) => name },
    {
      key: 'role',
      header: text.operators.role,
      render: (member) =>
        mayChange ? (
          <NativeSelect
            size="xs"
            aria-label={words.roleOf(member.name)}
            data={ROLE_CHOICES}
            value={member.role}
            onChange={(event) => void setRole(member, event.currentTarget.value as Role)}
          />
        ) : (
          roleNames[member.role]
        ),
    },
    {
      key: 'last',
      header: text.operators.lastSignIn,
      nowrap: true,
      render: ({ lastSignedInAt }) => <TimeText value={lastSignedInAt} none={text.common.never} />,
    },
    ...(mayChange
      ? [
          {
            key: 'take',
            header: text.operators.revoke,
            bare: true,
            render: (member: Member) => (
              <ConfirmButton
                size="xs"
                aria-label={text.operators.revokeNamed(`${roleNames[member.role]}: ${member.name}`)}
                {...words.revokeQuestion(member.name)}
                onConfirm={() => revokeRole(member)}
              >
                {text.operators.revoke}
              </ConfirmButton>
            ),
          },
        ]
      : []),
  ];
}

interface NewMemberProps {
  accountId: string;
  onClose(): void;
  onLink(newLink: NewLink): void;
}

function NewMemberDialog({ accountId, onClose, onLink }: NewMemberProps) {
  const [name, setName] = useState('');
  const [role, setRole] = useState<Role>('viewer');
  const submit = async () => {
    const member = await addMember(accountId, { name, role });
    notify(words.added(member.name));
    if (member.link) onLink({ name: member.name, link: member.link });
  };
  return (
    <FormDialog onClose={onClose} title={words.add} fields={['name']} onSubmit={submit}>
      {(problem) => (
        <>
          <NameField hint={words.addHint} value={name} error={problem('name')} onChange={setName} />
          <RoleField value={role} onChange={setRole} />
        </>
      )}
    </FormDialog>
  );
}
