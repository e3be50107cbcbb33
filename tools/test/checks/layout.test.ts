import { expect, test } from '@jest/globals'
import { layoutProblems, readPatterns } from '../../src/checks/layout.ts'

const contributing = `# Contributing

| \`elsewhere/\` | a table of another section |

## Where things are

Some text with \`code\`.

| path | what |
| --- | --- |
| \`Makefile\`, \`docs/\` | several paths in one row |
| \`services/<name>/src/main.ts\` | one file of every service; \`not/a/path\` in the second column is text |
| \`services/<name>/src/routes/\` | one folder of every service |

## Something else

| \`other/\` | |
`

const patterns = readPatterns(contributing)

test('reads the code spans in the first column of the section', () => {
  expect(patterns).toEqual(['Makefile', 'docs/', 'services/<name>/src/main.ts', 'services/<name>/src/routes/'])
})

test('a text without the section is an error', () => {
  expect(() => readPatterns('# Contributing\n')).toThrow('Where things are')
})

test('files that the table names are no problem, at any depth of a folder', () => {
  const files = ['Makefile', 'docs/a/b.md', 'services/chat/src/main.ts', 'services/chat/src/routes/send.ts']
  expect(layoutProblems(files, patterns)).toEqual([])
})

test.each([
  'services/chat/src/loose.ts',
  'services/chat/src/helpers/x.ts',
  'services/chat/src/nested/main.ts',
  'services/chat/src/main.tsx',
  'Makefile.old',
  'new/file.ts',
])('%s is a problem', file => {
  const validFiles = ['Makefile', 'docs/a.md', 'services/chat/src/main.ts', 'services/chat/src/routes/send.ts']
  expect(layoutProblems([...validFiles, file], patterns)).toEqual([
    `${file}: CONTRIBUTING.md does not say what belongs here`,
  ])
})

test('a row that names nothing is a problem', () => {
  const files = ['Makefile', 'services/chat/src/main.ts', 'services/chat/src/routes/send.ts']
  expect(layoutProblems(files, patterns)).toEqual(['CONTRIBUTING.md names docs/, which does not exist'])
})
