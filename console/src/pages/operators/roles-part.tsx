import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { type Operator, setGrants } from '../../api/operators/operators.js';
import type { Grant } from '../../api/session.js';
import { text } from '../../text/en.js';
import { ConfirmButton } from '../../ui/dialogs/confirm-button.js';
import { ErrorState } from '../../ui/feedback/error-state.js';
import { notify } from '../../ui/feedback/notices.js';
import { formatGrant, GrantFields, useFirstGrant } from './grant-fields.js';

const words = text.operators;

export function RolesPart({ operator, mayChange }: { operator: Operator; mayChange: boolean }) {
  const { name, grants } = operator;
  const listOtherGrants = (accountId: string | null) => grants.filter((grant) => grant.accountId !== accountId);
  const saveGrants = async (newGrants: readonly Grant[]) => {
    await setGrants(operator, newGrants);
    notify(words.rolesChanged(name));
  };
  return (
    <Stack gap="sm">
      <Title order={3} fz="md">
        {words.roles}
      </Title>
      {grants.length === 0 && (
        <Text size="sm" c="dimmed">
          {words.noRoles}
        </Text>
      )}
      {grants.map((grant) => (
        <Group key={grant.accountId} justify="space-between" wrap="nowrap">
          <Text size="sm">{formatGrant(grant)}</Text>
          {mayChange && (
            <ConfirmButton
              size="xs"
              flex="none"
              aria-label={words.revokeNamed(formatGrant(grant))}
              {...words.revokeQuestion(name, formatGrant(grant))}
              onConfirm={() => saveGrants(listOtherGrants(grant.accountId))}
            >
              {words.revoke}
            </ConfirmButton>
          )}
        </Group>
      ))}
      {mayChange && <GrantRoleForm onGive={(grant) => saveGrants([...listOtherGrants(grant.accountId), grant])} />}
    </Stack>
  );
}

function GrantRoleForm({ onGive }: { onGive(grant: Grant): Promise<void> }) {
  const [grant, setGrant] = useState<Grant>(useFirstGrant());
  const grantRole = useMutation({ mutationFn: onGive });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    grantRole.mutate(grant);
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        {grantRole.error && <ErrorState error={grantRole.error} />}
        <GrantFields value={grant} onChange={setGrant} />
        <Text size="sm" c="dimmed">
          {words.grantRoleHint}
        </Text>
        <Group justify="flex-end">
          <Button type="submit" size="xs" loading={grantRole.isPending}>
            {words.grantRole}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
