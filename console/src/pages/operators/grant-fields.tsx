import { NativeSelect, Select } from '@mantine/core';
import type { Grant, Role } from '../../api/session.js';
import { useSession } from '../../session/session.js';
import { text } from '../../text/en.js';

const words = text.operators;
/** In ascending order. */
const ROLES: readonly Role[] = ['viewer', 'developer', 'owner'];
export const ROLE_CHOICES = ROLES.map((role) => ({ value: role, label: words.roleNames[role] }));
/** Value for the whole installation, which cannot collide with account IDs, because they are UUIDs. */
const EVERYWHERE = 'installation';

interface GrantFieldsProps {
  value: Grant;
  onChange(value: Grant): void;
}

/** Starts with the lowest role in a single account, so that access to everything is a deliberate choice. */
export function useFirstGrant(): Grant {
  return { role: 'viewer', accountId: useSession()?.accounts[0]?.id ?? null };
}

export function GrantFields({ value, onChange }: GrantFieldsProps) {
  const accounts = useSession()?.accounts ?? [];
  return (
    <>
      <Select
        label={words.scope}
        data={[
          ...accounts.map(({ id, name }) => ({ value: id, label: name })),
          { value: EVERYWHERE, label: words.everywhere },
        ]}
        value={value.accountId ?? EVERYWHERE}
        onChange={(scope) => onChange({ ...value, accountId: scope === EVERYWHERE ? null : scope })}
        allowDeselect={false}
        searchable
      />
      <RoleField value={value.role} onChange={(role) => onChange({ ...value, role })} />
    </>
  );
}

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

/** Formats a role, for example as `Owner: The whole installation`. */
export function formatGrant({ role, accountName }: { role: Role; accountName: string | null }): string {
  return words.grant(words.roleNames[role], accountName ?? words.everywhere);
}
