// https://bsonspec.org/spec.html

// Types of JSON values. The driver writes no int64, but other programs may.
export const double = 0x01;
export const string = 0x02;
export const document = 0x03;
export const array = 0x04;
export const boolean = 0x08;
export const nil = 0x0a;
export const int32 = 0x10;
export const int64 = 0x12;

// Others in what Sluice and MongoDB write.
export const binary = 0x05;
export const date = 0x09;
export const timestamp = 0x11;
