import retrofit2.http.*;

/** Base https://rest.delcampe.net/ */
public interface DelcampeRetrofit {
    @GET("item/{id}/buyer")
    Call<ResponseBody> buyer(@Path("id") long id);

    @FormUrlEncoded
    @PUT("item/{id}")
    Call<ResponseBody> update(@Path("id") long id, @FieldMap Map<String, String> fields);

    @GET("item/auction/opened")
    Call<ResponseBody> opened(@Query("startingItem") int start);
}
