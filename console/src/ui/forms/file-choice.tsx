import { FileButton, type FileButtonProps } from '@mantine/core';
import { useRef } from 'react';

interface FileChoiceProps extends Pick<FileButtonProps, 'accept' | 'inputProps' | 'children'> {
  onChoose(file: File): void;
}

/** The input is reset after each choice, because browsers fire no event if the same file is chosen again. */
export function FileChoice({ onChoose, ...button }: FileChoiceProps) {
  const reset = useRef<() => void>(null);
  const choose = (file: File | null) => {
    if (file) onChoose(file);
    reset.current?.();
  };
  return <FileButton {...button} resetRef={reset} onChange={choose} />;
}
