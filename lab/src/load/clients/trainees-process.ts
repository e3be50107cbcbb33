// The process of the trainees. Its arguments are the product's address and the number of trainees.
import { serveParent } from '../child-process.ts'
import { createTrainees } from './trainees.ts'

const [url, count] = process.argv.slice(2)
serveParent(await createTrainees(url!, Number(count)))
