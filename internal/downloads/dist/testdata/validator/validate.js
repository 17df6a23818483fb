// Prints what is wrong with a list of modules by the schema of CycloneDX 1.6, without members that the schema does not know: null for nothing.
import { readFileSync } from 'node:fs'
import { Spec, Validation } from '@cyclonedx/cyclonedx-library'

const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot6)
console.log(JSON.stringify(await validator.validate(readFileSync(process.argv[2], 'utf8'))))
