import { Button, Group, Stack } from '@mantine/core'
import { printCodes, saveCodes } from './keep-codes.ts'
import styles from './second-factor.module.css'

/** New recovery codes, which are shown only now. */
export function RecoveryCodes({ codes, onDone }: { codes: readonly string[]; onDone: () => void }) {
  return (
    <Stack>
      <p className={styles.text}>
        Keep these recovery codes in a safe place, away from this device. Each code completes one sign-in if you do not
        have your second factor.
      </p>
      <ul className={styles.codes} aria-label="Recovery codes">
        {codes.map(code => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <p className={styles.dim}>They are shown only now.</p>
      <Group>
        <Button variant="default" autoFocus onClick={() => saveCodes(codes)}>
          Download
        </Button>
        <Button variant="default" onClick={() => printCodes(codes)}>
          Print
        </Button>
        <Button onClick={onDone} ms="auto">
          I have kept them
        </Button>
      </Group>
    </Stack>
  )
}
