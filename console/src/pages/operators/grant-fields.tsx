import { NativeSelect, Select } from '@mantine/core';
import type { Grant, Role } from '../../api/session.js';
import { useSession } from '../../session/session.js';
import { text } from '../../text/en.js';

const words = text.operators;
/** From the least to the most. */
const ROLES: readonly Role[] = ['viewer', 'developer', 'owner'];
/** The roles as a choice has them, by their names. */
export const ROLE_CHOICES = ROLES.map((role) => ({ value: role, label: words.roleNames[role] }));
/** A choice needs a text; no account has this id. */
const EVERYWHERE = 'installation';

interface GrantFieldsProps {
  value: Grant;
  onChange(value: Grant): void;
}

/** What is offered at first: the least, for one account. The whole installation is chosen, never left as it stood. */
export function useFirstGrant(): Grant {
  return { role: 'viewer', accountId: useSession()?.accounts[0]?.id ?? null };
}

/** A role, and whether for one account or for the whole installation. */
export function GrantFields({ value, onChange }: GrantFieldsProps) {
  const accounts = useSession()?.accounts ?? [];
  return (
    <>
      <Select
        label={words.place}
        data={[
          ...accounts.map(({ id, name }) => ({ value: id, label: name })),
          { value: EVERYWHERE, label: words.everywhere },
        ]}
        value={value.accountId ?? EVERYWHERE}
        onChange={(place) => onChange({ ...value, accountId: place === EVERYWHERE ? null : place })}
        allowDeselect={false}
        searchable
      />
      <RoleField value={value.role} onChange={(role) => onChange({ ...value, role })} />
    </>
  );
}

/** The role that is given. */
export function RoleField({ value, onChange }: { value: Role; onChange(role: Role): void }) {
  return (
    <NativeSelect
      label={words.role}
      description={words.roleHint}
      data={ROLE_CHOICES}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value as Role)}
    />
  );
}

/** A role as a text: `Owner: The whole installation`. */
export function grantText({ role, accountName }: { role: Role; accountName: string | null }): string {
  return words.grant(words.roleNames[role], accountName ?? words.everywhere);
}
