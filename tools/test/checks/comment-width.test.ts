import { expect, test } from '@jest/globals'
import { findWideComments } from '../../src/checks/comment-width.ts'

const wide = 'word '.repeat(25)

test('finds comments of each form that are wider than 100 columns', () => {
  const source = ['const a = 1', `// ${wide}`, '/**', ` * ${wide}`, ' */', `  /** ${wide} */`, `{/* ${wide} */}`]
  expect(findWideComments(source.join('\n'))).toEqual([2, 4, 6, 7])
})

test('allows 100 columns, wide code, and instructions of the linter, which need one line', () => {
  const source = [`// ${'x'.repeat(97)}`, `const text = '${wide}'`, `// biome-ignore lint/a11y/noRole: ${wide}`]
  expect(findWideComments(source.join('\n'))).toEqual([])
})
