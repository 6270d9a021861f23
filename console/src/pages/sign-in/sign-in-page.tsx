import { Button, Center, Code, Paper, Stack, Text, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useCallback, useEffect, useRef, useState } from 'react';
import { ApiError } from '../../api/client/request.js';
import { type Credentials, type SignIn, sessionQuery, signIn } from '../../api/session.js';
import { useSearchParams } from '../../browser/search.js';
import { OidcProblem } from '../../shared/oidc-problem.js';
import { text } from '../../text/en.js';
import { Mark } from '../../ui/basics/wordmark.js';
import { ErrorState } from '../../ui/feedback/error-state.js';
import { LoadingState } from '../../ui/feedback/loading-state.js';
import { CodeField, PasswordField } from '../../ui/forms/proof-fields.js';
import { OidcButton } from './by-oidc.js';

/** Token of a one-time link, removed from the URL so that the browser history does not store it. */
let linkToken = /^#token=(.+)$/.exec(window.location.hash)?.[1] ?? null;
if (linkToken) window.history.replaceState(window.history.state, '', window.location.pathname + window.location.search);

export function SignInPage() {
  const client = useQueryClient();
  const router = useRouter();
  const [params] = useSearchParams();
  const [step, setStep] = useState<'link' | 'other' | 'password' | 'second-factor'>(linkToken ? 'link' : 'password');
  const [linkFailed, setLinkFailed] = useState(false);
  // The credentials are sent again with the second-factor code, because the first request does not create a session.
  const credentials = useRef<Credentials | null>(null);
  // The operators concerned if another operator is already signed in, otherwise null.
  const [otherOperators, setOthers] = useState<OtherOperators | null>(null);
  const replacesSession = useRef(false);

  const attempt = useCallback(
    async (enteredCredentials: Credentials, code?: string) => {
      const { state, others: bothOperators } = await signIn(
        enteredCredentials,
        code,
        replacesSession.current || undefined,
      );
      if (state === 'otherSignedIn') {
        credentials.current = enteredCredentials;
        setOthers(bothOperators ?? null);
        return setStep('other');
      }
      if (state === 'codeNeeded') {
        credentials.current = enteredCredentials;
        return setStep('second-factor');
      }
      credentials.current = null;
      await client.fetchQuery({ ...sessionQuery, staleTime: 0 });
      return router.history.replace(toConsolePath(params.to));
    },
    [client, router, params.to],
  );

  useEffect(() => {
    document.title = `${text.signIn.title} · ${text.shell.name}`;
    const token = linkToken;
    linkToken = null;
    if (!token) return;
    attempt({ token }).catch(() => {
      setLinkFailed(true);
      setStep('password');
    });
  }, [attempt]);

  const enterCode = async (code: string) => {
    if (credentials.current) await attempt(credentials.current, code);
  };

  const takeOver = async () => {
    replacesSession.current = true;
    if (!credentials.current) return;
    await attempt(credentials.current).catch(() => {
      setLinkFailed(true);
      setStep('password');
    });
  };

  return (
    <Center mih="100dvh" p="md" component="main">
      <Stack w="100%" maw={380} gap="lg">
        <Stack align="center" gap="xs">
          <Mark size={48} />
          <Title order={1}>{TITLES[step]}</Title>
        </Stack>
        <Paper withBorder p="lg" radius="md">
          {step === 'link' && (
            <Stack>
              <Text>{text.signIn.byLink}</Text>
              <LoadingState lines={2} />
            </Stack>
          )}
          {step === 'other' && otherOperators && (
            <OtherOperatorStep others={otherOperators} onSwitch={takeOver} to={toConsolePath(params.to)} />
          )}
          {step === 'password' && (
            <>
              <PasswordStep linkFailed={linkFailed} onEnter={attempt} />
              <OidcButton to={toConsolePath(params.to)} />
            </>
          )}
          {step === 'second-factor' && <SecondFactorStep onEnter={enterCode} onBack={() => setStep('password')} />}
        </Paper>
        {step === 'password' && (
          <Text size="sm" c="dimmed" ta="center">
            {text.signIn.noPassword}
            <Code block mt="xs">
              heliograph operator link NAME
            </Code>
            {text.signIn.inClone}
            <Code block mt="xs">
              node dist/cli/main.js operator link NAME
            </Code>
          </Text>
        )}
      </Stack>
    </Center>
  );
}

const TITLES = {
  link: text.signIn.title,
  other: text.signIn.otherTitle,
  password: text.signIn.title,
  'second-factor': text.signIn.secondFactor,
};

type OtherOperators = NonNullable<SignIn['others']>;

function OtherOperatorStep({
  others,
  onSwitch,
  to,
}: {
  others: OtherOperators;
  onSwitch(): Promise<void>;
  to: string;
}) {
  const [switching, setSwitching] = useState(false);
  const { current, ofLink } = others;
  return (
    <Stack>
      <Text>{text.signIn.otherQuestion(current, ofLink)}</Text>
      <Text size="sm" c="dimmed">
        {text.signIn.otherHint}
      </Text>
      <Button component="a" href={to} autoFocus fullWidth>
        {text.signIn.otherStay(current)}
      </Button>
      <Button
        variant="default"
        loading={switching}
        fullWidth
        onClick={() => {
          setSwitching(true);
          void onSwitch();
        }}
      >
        {text.signIn.otherSwitch(ofLink)}
      </Button>
    </Stack>
  );
}

interface PasswordStepProps {
  linkFailed: boolean;
  onEnter(credentials: Credentials): Promise<unknown>;
}

function PasswordStep({ linkFailed, onEnter }: PasswordStepProps) {
  const [error, setError] = useState<unknown>(null);
  const form = useForm({ initialValues: { name: '', password: '' } });
  const submit = form.onSubmit(async ({ name, password }) => {
    setError(null);
    try {
      await onEnter({ name, password });
    } catch (problem) {
      setError(replaceMessage(problem, text.signIn.wrong));
    }
  });
  return (
    <form onSubmit={submit}>
      <Stack>
        {error === null && <OidcProblem title={text.oidc.problemTitle} />}
        {linkFailed && error === null && (
          <ErrorState error={new ApiError(400, 'INVALID_LINK', text.signIn.linkFailedHint)} />
        )}
        {error !== null && <ErrorState error={error} />}
        <TextInput
          label={text.signIn.name}
          autoComplete="username"
          autoCapitalize="none"
          required
          withAsterisk={false}
          autoFocus
          {...form.getInputProps('name')}
        />
        <PasswordField
          label={text.signIn.password}
          autoComplete="current-password"
          {...form.getInputProps('password')}
        />
        <Button type="submit" loading={form.submitting} fullWidth>
          {text.signIn.submit}
        </Button>
      </Stack>
    </form>
  );
}

interface SecondFactorStepProps {
  onEnter(code: string): Promise<unknown>;
  onBack(): void;
}

function SecondFactorStep({ onEnter, onBack }: SecondFactorStepProps) {
  const [error, setError] = useState<unknown>(null);
  const form = useForm({ initialValues: { code: '' } });
  const submit = form.onSubmit(async ({ code }) => {
    setError(null);
    try {
      await onEnter(code.trim());
    } catch (problem) {
      setError(replaceMessage(problem, text.signIn.wrongCode));
    }
  });
  return (
    <form onSubmit={submit}>
      <Stack>
        {error !== null && <ErrorState error={error} />}
        <CodeField inputMode="text" autoFocus {...form.getInputProps('code')} />
        <Button type="submit" loading={form.submitting} fullWidth>
          {text.signIn.confirm}
        </Button>
        <Button variant="subtle" color="gray" onClick={onBack} fullWidth>
          {text.signIn.otherSignIn}
        </Button>
      </Stack>
    </form>
  );
}

/** Replaces the message of a 401; other errors, such as too many attempts, keep the server's message. */
function replaceMessage(problem: unknown, words: string): unknown {
  return problem instanceof ApiError && problem.status === 401
    ? new ApiError(401, problem.code, words, problem.details)
    : problem;
}

/** Accepts only paths of this console, to prevent open redirects. */
function toConsolePath(to: string | undefined): string {
  return to && /^\/console(?:[/?#]|$)/.test(to) ? to : '/console/';
}
