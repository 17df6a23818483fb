export const environment = {
  production: true,
  delcampeUrl: 'https://rest.delcampe.net',
  ownApi: 'https://shop.example.org/api',
};
