import { Button, Group, Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { listFieldProblems } from '../../api/client/request.js';
import { changePassword } from '../../api/operators/me.js';
import type { Session } from '../../api/session.js';
import { text } from '../../text/en.js';
import { ErrorState } from '../../ui/feedback/error-state.js';
import { notify } from '../../ui/feedback/notices.js';
import { PasswordField } from '../../ui/forms/proof-fields.js';
import { Section } from '../../ui/layout/section.js';

/** Minimum length by the server's rule, checked here too for immediate feedback. */
const MIN_LENGTH = 12;

export function PasswordSection({ operator }: { operator: Session['operator'] }) {
  const client = useQueryClient();
  const form = useForm({
    initialValues: { current: '', password: '', again: '' },
    validate: {
      password: (value) => {
        if (value.length < MIN_LENGTH) return text.me.passwordShort(MIN_LENGTH);
        return value.trim() === '' ? text.me.passwordBlank : null;
      },
      again: (value, { password }) => (value === password ? null : text.me.passwordDiffers),
    },
  });
  const change = useMutation({
    mutationFn: ({ current, password }: { current: string; password: string }) =>
      changePassword(operator.hasPassword ? { current, password } : { password }),
    onSuccess: () => {
      form.reset();
      notify(text.me.passwordChanged);
      return client.invalidateQueries({ queryKey: ['session'] });
    },
    onError: (error) => form.setErrors(listFieldProblems(error)),
  });
  return (
    <Section
      title={operator.hasPassword ? text.me.password : text.me.passwordNone}
      lead={operator.hasPassword ? text.me.passwordHint : text.me.passwordNoneHint}
    >
      <form onSubmit={form.onSubmit((values) => change.mutate(values))}>
        <Stack gap="sm" maw={360}>
          {change.error && Object.keys(form.errors).length === 0 && <ErrorState error={change.error} />}
          {/* This field lets password managers store the user name with the new password. */}
          <input type="text" name="username" autoComplete="username" value={operator.name} readOnly hidden />
          {operator.hasPassword && (
            <PasswordField
              label={text.me.passwordCurrent}
              autoComplete="current-password"
              {...form.getInputProps('current')}
            />
          )}
          <PasswordField
            label={text.me.passwordNew}
            description={text.me.passwordRule(MIN_LENGTH)}
            autoComplete="new-password"
            {...form.getInputProps('password')}
          />
          <PasswordField label={text.me.passwordAgain} autoComplete="new-password" {...form.getInputProps('again')} />
          <Group>
            <Button type="submit" loading={change.isPending}>
              {operator.hasPassword ? text.me.passwordChange : text.me.passwordSet}
            </Button>
          </Group>
        </Stack>
      </form>
    </Section>
  );
}
