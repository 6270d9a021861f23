import { NativeSelect, Select } from '@mantine/core';
import type { Grant, Role } from '../../api/session.js';
import { useSession } from '../../app/session.js';
import { text } from '../../text/en.js';

const words = text.operators;
/** From the least to the most. */
export const ROLES: readonly Role[] = ['viewer', 'developer', 'owner'];
/** A choice needs a text; no account has this id. */
const EVERYWHERE = 'installation';

interface GrantFieldsProps {
  value: Grant;
  onChange(value: Grant): void;
}

/** A role, and whether for one account or for the whole installation. */
export function GrantFields({ value, onChange }: GrantFieldsProps) {
  const accounts = useSession()?.accounts ?? [];
  return (
    <>
      <Select
        label={words.place}
        data={[
          { value: EVERYWHERE, label: words.everywhere },
          ...accounts.map(({ id, name }) => ({ value: id, label: name })),
        ]}
        value={value.accountId ?? EVERYWHERE}
        onChange={(place) => onChange({ ...value, accountId: place === EVERYWHERE ? null : place })}
        allowDeselect={false}
        searchable
      />
      <NativeSelect
        label={words.role}
        description={words.roleHint}
        data={ROLES.map((role) => ({ value: role, label: words.roleNames[role] }))}
        value={value.role}
        onChange={(event) => onChange({ ...value, role: event.currentTarget.value as Role })}
      />
    </>
  );
}

/** A role as a text: `Owner: The whole installation`. */
export function grantText({ role, accountName }: { role: Role; accountName: string | null }): string {
  return words.grant(words.roleNames[role], accountName ?? words.everywhere);
}
